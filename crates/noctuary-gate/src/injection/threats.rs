//! The forms of hidden instructions, and the search for all of them at once.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::dense;

/// Between two words: space, line breaks, marks of markdown.
const GAP: &str = r"(?:[\s*_`~>#|'’,-]{1,8})";

/// The same, of any length: what one pattern holds eight times is held once, and is made ready sooner.
const WIDE_GAP: &str = r"(?:[\s*_`~>#|'’,-]+)";

/// Reasons and patterns. A `~` stands for [`GAP`]; case does not count; `^` and `$` are the ends of a line.
const THREATS: &[(&str, &str)] = &[
    // Setting instructions aside.
    (
        "override",
        r"\b(?:ignore|disregard|forget|override|bypass|neglect)(?:~(?:all|any|and|every|each|the|your|of|these|those|my|our)){0,5}~(?:previous|previously|prior|above|earlier|preceding|former|foregoing|system)(?:~[a-z]+){0,2}~(?:instructions?|prompts?|directions?|directives?|guidelines?|commands?|orders?|programming|training)\b",
    ),
    (
        "override",
        r"\b(?:ignore|disregard|forget|override|bypass)~(?:all|any|every)(?:~(?:of|the|your|these|those))*~(?:(?:previous|prior|above|earlier)~(?:rules?|messages?|context|constraints?|restrictions?|polic(?:y|ies))|(?:instructions|safety~[a-z]+)\b)",
    ),
    (
        "override",
        r"\b(?:ignore|disregard|forget|bypass)~your~(?:[a-z]+~)?(?:instructions|guidelines|rules|restrictions|training|programming)\b",
    ),
    (
        "override",
        r"\b(?:forget|ignore|disregard)~(?:everything|all)(?:~that)?~(?:you~(?:know|knew|were|have~been|learned)|(?:written~|said~)?above|before~this)\b",
    ),
    (
        "override",
        r"\b(?:do~not|don[’']?t|never|stop)~(?:follow|obey|obeying|following|listen~to|comply~with)~(?:the|your|any|all)~(?:system|previous|prior|original|developer|operator)(?:[’']?s)?\b",
    ),
    (
        "override",
        r"\byour~(?:(?:real|actual|true|only)~(?:goal|role)|(?:new|real|actual|true|only)~(?:instructions?|task|purpose|objective))~(?:is|are)\b",
    ),
    ("override", r"\bnew~system~(?:prompt|instructions?|message)\b"),
    (
        "override",
        r"\byou~are~now~(?:dan\b|unrestricted|unfiltered|uncensored|jailbroken|free~(?:of|from)|no~longer~(?:bound|an~ai|restricted)|in~[a-z]+~mode)",
    ),
    ("override", r"\byou~are~no~longer~(?:bound|restricted|an~ai|a~helpful|an~assistant)\b"),
    (
        "override",
        r"\bfrom~now~on~you~(?:must~|will~|shall~)?(?:always~|only~)*(?:obey|ignore|act~as|pretend|disregard)\b",
    ),
    ("override", r"\b(?:enter|enable|activate|switch~to)~(?:god|dan|jailbreak|unrestricted)~mode\b"),
    ("override", r"\b(?:act~as~if|pretend)(?:~that)?~you~(?:have|had|are)~(?:no|not~bound|without)\b"),
    (
        "override",
        r"\b(?:reveal|print|show|output|repeat|leak|disclose|send)(?:~me)?~your(?:~[a-z]+){0,2}~(?:system~prompt|system~message|hidden~instructions)\b",
    ),
    (
        "concealment",
        r"\b(?:do~not|don[’']?t|never)~(?:tell|inform|mention|reveal|disclose)~(?:(?:this|it|any~of~this)~)?(?:to~)?(?:the|your)~(?:user|human|operator|owner)\b",
    ),
    (
        "override",
        r"\b(?:ignoriere?n?|vergiss|vergessen|missachten?)(?:~sie)?(?:~(?:alle|allen|sämtliche|die|deine|ihre|der))*~(?:vorherigen?|bisherigen?|vorigen|obigen|früheren|vorangegangenen)~(?:anweisungen|instruktionen|befehle|vorgaben|regeln)\b",
    ),
    (
        "override",
        r"\b(?:ignore[zr]?|oublie[zr]?)~(?:toutes~)?(?:les|tes|vos)~(?:instructions|consignes)~(?:précédentes|antérieures|ci-dessus)",
    ),
    ("override", r"\b(?:ignora|ignore|olvida)~(?:todas~)?(?:las|tus)~instrucciones~(?:anteriores|previas)\b"),
    // Another name or nature for the agent.
    (
        "override",
        r#"\byour~(?:real|true|actual|original|secret|hidden)~(?:name|identity|self|creator|maker|master)~(?:is|was)[\s:*_"“'‘«]{1,4}(?-i:[A-Z0-9])"#,
    ),
    (
        "override",
        r"\bdein~(?:wahrer|echter|wirklicher|richtiger)~name~(?:ist|lautet)\b|\bton~(?:vrai|véritable)~nom~est\b|\btu~(?:verdadero~nombre|nombre~(?:real|verdadero))~es\b",
    ),
    (
        "concealment",
        r"\b(?:sag|sage|sagt|erzähle?|verrate?)~(?:(?:es|das|dies|davon)~)?(?:dem|der)~(?:nutzer|benutzer|anwender|eigentümer)(?:in)?~(?:nicht|nichts|niemals|nie)\b|\bn[e'’]~?(?:dis|dites|parle[sz]?|révèle[sz]?|mentionne[sz]?)~(?:pas|rien|jamais)~(?:[a-zà-ÿ]+~){0,3}(?:à~l~utilisateur|au~propriétaire)|\bno~(?:le~)?(?:digas|cuentes|reveles|menciones)~(?:[a-záéíóúñ]+~){0,3}al~(?:usuario|dueño)\b",
    ),
    // Japanese.
    (
        "override",
        r"(?:これまで|今まで|以前|上記|過去|従来|前|先|すべて|全て|全部|あらゆる)の?(?:すべての|全ての|全部の|あらゆる)?(?:システム)?(?:指示|命令|プロンプト|指令|制約)(?:や[^。\n]{1,12})?(?:を|は)(?:すべて|全て|全部|完全に)?(?:無視(?:し(?:て|ろ|なさい|、)|せよ)|忘れ(?:て(?:ください|下さい|くれ)|ろ|なさい)|破棄し(?:て|ろ)|取り消して)",
    ),
    (
        "override",
        r"(?:あなた|君|お前)の(?:本当|本来|真|実際)の(?:名前|名|正体|目的|役割|使命|主人)は|(?:あなた|君|お前)は(?:今から|これから|もう)[^\n。]{0,40}(?:として(?:行動|振る舞)|に従(?:う|い|え)|制限(?:され|を受け)ない)",
    ),
    (
        "concealment",
        r"(?:ユーザー?|利用者|人間|持ち主|所有者)に(?:は|も)?[^\n。]{0,16}(?:言わないで|伝えないで|知らせないで|話さないで|教えないで|明かさないで|言うな|伝えるな|知らせるな|話すな|教えるな|明かすな|秘密にし(?:て|ろ))",
    ),
    // Korean.
    (
        "override",
        r"(?:이전|앞선|앞의|위의|지금까지의|기존|모든)(?:의|에\s*받은)?\s*(?:모든\s*)?(?:시스템\s*)?(?:지시|명령|지침|프롬프트|규칙)(?:\s*사항)?(?:들)?(?:을|를|은|는)?\s*(?:모두\s*|전부\s*|완전히\s*)?(?:무시(?:하(?:세요|십시오|라|고)|해(?:라|줘|\s*주세요))|잊(?:어(?:라|버려|\s*주세요)|으(?:세요|십시오|라))|따르지\s*(?:마|말))",
    ),
    (
        "override",
        r"(?:당신의|너의|네)\s*(?:진짜|실제|본래)\s*(?:이름|정체|목적|임무|주인)(?:은|는)|(?:당신|너)(?:은|는)\s*(?:이제(?:부터)?|지금부터)\s[^\n.]{0,40}(?:제한(?:이|을)\s*(?:없|받지)|(?:만|을|를)\s*따라야|복종)",
    ),
    (
        "concealment",
        r"(?:사용자|유저|주인|소유자)(?:에게|한테)(?:는|도)?\s[^\n.]{0,24}(?:말하지|알리지|얘기하지|언급하지|보여주지|밝히지)\s*(?:마|말)",
    ),
    // Polish.
    (
        "override",
        r"\b(?:z?ignoruj(?:cie)?|pomiń(?:cie)?|zapomnij(?:cie)?~o|zlekceważ|odrzuć)~(?:wszystkie~|wszystkich~|wszelkie~|wszelkich~|swoje~|swoich~|twoje~|te~|tych~)*(?:(?:poprzedni|wcześniejsz|powyższ|dotychczasow)(?:e|ych|ich)~(?:[a-ząćęłńóśźż]+~)?(?:instrukcj[eai]|instrukcjach|poleceni(?:a|ach)|poleceń|wytyczn(?:e|ych)|rozkaz(?:y|ach)|zasad(?:y|ach)|zaleceni(?:a|ach))|(?:wszystkie~|wszystkich~)(?:instrukcje|instrukcjach|polecenia|poleceniach))\b",
    ),
    (
        "override",
        r"\b(?:twoje~(?:prawdziwe|rzeczywiste)~(?:imię|nazwisko|zadanie)|twój~prawdziwy~(?:cel|pan|twórca)|twoja~prawdziwa~(?:rola|tożsamość|nazwa))~(?:to|brzmi|jest)\b|\bod~teraz~(?:musisz|masz)~(?:zawsze~|tylko~)?(?:słuchać|ignorować|udawać|wykonywać)\b",
    ),
    (
        "concealment",
        r"\bnie~(?:mów|powiedz|informuj|wspominaj|ujawniaj|zdradzaj)(?:cie)?~(?:[a-ząćęłńóśźż]+~){0,3}(?:użytkownikowi|użytkownika|właścicielowi|człowiekowi)\b",
    ),
    // Arabic.
    (
        "override",
        r"(?:تجاهل(?:وا|ي)?|انس|انسى|إنس|أهمل|اهمل)\s+(?:جميع\s+|كل\s+|كافة\s+)?(?:ال)?(?:تعليمات|أوامر|اوامر|توجيهات|إرشادات|ارشادات|قواعد)(?:ك)?\s+(?:ال)?(?:سابقة|سابقه|أعلاه|اعلاه|واردة\s+أعلاه|مذكورة)",
    ),
    (
        "override",
        r"(?:اسمك|هويتك|مهمتك|هدفك|دورك|سيدك)\s+ال(?:حقيقي|حقيقية|فعلي|فعلية|أصلي|أصلية)\s*(?:هو|هي|:)|من\s+الآن\s+فصاعد(?:اً|ًا|ا)\s*[،,]?\s*(?:يجب\s+(?:عليك|أن)|عليك)",
    ),
    (
        "concealment",
        r"لا\s+(?:تخبر|تُخبر|تخبري|تقل|تكشف|تذكر)\s+(?:[^\s.]+\s+){0,2}(?:ل|لل|ال)?(?:مستخدم|مالك|صاحب)",
    ),
    // Hindi.
    (
        "override",
        r"(?:पिछले|पिछली|पहले\s+के|पहले\s+दिए\s+गए|पूर्व|पुराने|ऊपर\s+के|उपरोक्त|सभी)\s+(?:सभी\s+|सारे\s+|दिए\s+गए\s+)*(?:निर्देश|निर्देशों|आदेश|आदेशों|नियम|नियमों|प्रॉम्प्ट)\s+(?:को\s+)?(?:पूरी\s+तरह\s+)?(?:(?:अनदेखा|नज\x{93c}?रअंदाज\x{93c}?|अनसुना)\s+(?:करें|करो|करके|कर\s+(?:दें|दो)|कीजिए)|भूल\s+(?:जाओ|जाएं|जाएँ|जाइए)|भुला\s+(?:दें|दो))",
    ),
    (
        "override",
        r"(?:तुम्हारा|आपका|तेरा)\s+(?:असली|वास्तविक|सच्चा)\s+(?:नाम|काम|उद्देश्य|लक्ष्य|मालिक)|अब\s+से\s+(?:तुम|आप|तू)\s+(?:केवल|सिर्फ|हमेशा)\s[^\n।]{0,60}(?:मानो|मानोगे|मानेंगे|पालन)",
    ),
    (
        "concealment",
        r"(?:उपयोगकर्ता|यूज\x{93c}?र|मालिक)\s+(?:को|से)\s+(?:[^\s।]+\s+){0,4}(?:न|मत|नहीं)\s+(?:बताएं|बताएँ|बताओ|बताना|बताइए|बताइएगा|कहें|कहो|कहना)",
    ),
    // Turkish.
    (
        "override",
        r"\b(?:tüm~|bütün~)?(?:önceki|yukarıdaki|evvelki)~(?:tüm~|bütün~|verilen~|sistem~)*(?:talimat|komut|yönerge|kural|emir)(?:lar|ler)?(?:ını|ini|ı|i)?~(?:tamamen~|lütfen~|hepsini~)*(?:yok~say(?:ın|ınız)?|görmezden~gel(?:in|iniz)?|unut(?:un|unuz)?|dikkate~alma(?:yın|yınız)?|göz~ardı~(?:et|edin|ediniz))\b",
    ),
    (
        "override",
        r"\b(?:senin~|sizin~)?(?:gerçek|asıl|hakiki)~(?:adın|adınız|ismin|isminiz|görevin|amacın|kimliğin|sahibin)\b",
    ),
    (
        "concealment",
        r"\bkullanıcı(?:ya|yla|dan)~(?:[a-zçğıöşü]+~){0,4}(?:söyleme|bildirme|bahsetme|anlatma|gösterme|gizle)(?:yin|yiniz|yın|yınız)?\b",
    ),
    // Chinese, beside its plainest form below.
    (
        "override",
        r"(?:无视|忘记|不要理会|抛弃)(?:所有|全部)?(?:你)?(?:之前|以上|先前|前面|此前)的?(?:所有|全部)?的?(?:指令|指示|提示词|命令)|你的(?:真实|真正的?)(?:名字|身份|目的|任务)是",
    ),
    (
        "concealment",
        r"(?:不要|别|切勿|不得)(?:把[^。\n]{1,12})?(?:告诉|告知|透露给|通知)(?:用户|主人|使用者)",
    ),
    ("override", r"忽略(?:所有|全部)?(?:之前|以上|先前|前面)?的?(?:所有|全部)?的?(?:指令|指示|提示词)"),
    // A forged turn or header.
    (
        "role",
        r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>",
    ),
    ("role", r"<\|[a-z_▁]{3,30}\|>|<(?:start|end)_of_turn>"),
    ("role", r"\[/?INST\]|<</?SYS>>"),
    (
        "role",
        r"^[\s>*_#-]*(?:system|developer|assistant)[*_]*\s*:[*_\s]*(?:you~(?:are|must|will|should)|ignore|override|disregard|from~now~on|new~instructions?)\b",
    ),
    ("role", r"^#{1,6}\s*(?:system|human|assistant)(?:~(?:prompt|message|override))?\s*:?\s*$"),
    (
        "role",
        r"[\[<({]\s*system~(?:message|prompt|override|note|instructions?|update)\b[^\])>}\n]{0,80}[\])>}]",
    ),
    ("role", r"\b(?:begin|start|end)~(?:of~)?(?:system|hidden)~(?:prompt|instructions?|message)\b"),
    // A forged frame.
    (
        "fence",
        r"</?\s*(?:memory-context|system|system[-_](?:reminder|prompt|message|instructions?)|assistant)(?:\s[^<>\n]*)?/?>",
    ),
    ("fence", r"<<<(?:memory|journal|end)\s[0-9a-f]{4,}[^\n]*>>>"),
    // Words that a host or a dream acts on, with anything around them that is no word.
    (
        "control_token",
        r"^[^\w\n]*(?:NOTHING_TO_PROMOTE|BOOTSTRAP_DONE|HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)[^\w\n]*$",
    ),
    // The syntax of a call.
    (
        "tool_call",
        r"</?(?:[a-z]+:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|tool_code|tool_results?)\b[^<>\n]*>",
    ),
    ("tool_call", r"<\|tool[^|\n]{0,20}\|>|\[TOOL_CALLS\]|```tool_code"),
    (
        "tool_call",
        r#"^\s*\{\s*"(?:tool|name|function)"\s*:\s*"[^"\n]+"\s*,\s*"(?:arguments|args|parameters|input)"\s*:\s*\{"#,
    ),
    ("tool_call", r"^[\s>*-]*action\s*:[^\n]{1,80}\n[\s>*-]*action~input\s*:"),
    // Carrying private text away.
    (
        "exfiltration",
        r#"<img\b[^>\n]*\bsrc\s*=\s*["']?https?://[^>\s]*[?&](?:data|payload|secrets?|memory|context|prompt|conversation|chat|leak|exfil|history|password|cookie|[a-z_]+=(?:\{|\[|<|\$|%7b))"#,
    ),
    (
        "exfiltration",
        r"^\s*\[[^\]\n]+\]:\s*<?https?://[^\s]*[?&](?:payload|secrets?|memory|prompt|conversation|leak|exfil|password|cookie|[a-z_]+=(?:\{|<|\$\{|%7b))",
    ),
    (
        "exfiltration",
        r"!\[[^\]\n]*\]\(\s*<?https?://[^)\s]*[?&](?:data|payload|secrets?|memory|context|prompt|conversation|chat|leak|exfil|info|content|history|password|cookie|msg|[a-z_]+=(?:\{|\[|<|\$|%7b))[^)\n]*\)",
    ),
    (
        "exfiltration",
        r"https?://\S*[{<\[$]{1,3}\s*(?:memor(?:y|ies)|secrets?|conversation|chat[ _-]?history|system[ _-]?prompt|passwords?|credentials?|everything|contents?[ _-]of)\b",
    ),
    (
        "exfiltration",
        r"\b(?:send|post|upload|exfiltrate|forward|e?mail|transmit|leak)\b[^\n.!?]{0,40}\b(?:memory(?:\.md)?|user\.md|soul\.md|conversations?|chat~history|api~keys?|credentials?|passwords?|secrets?|private~keys?|system~prompt|environment~variables|\.env|ssh~keys?)\b[^\n]{0,40}\bto:?~?\s*(?:https?://|[\w.+-]+@[\w-]+\.)",
    ),
    (
        "exfiltration",
        r"\b(?:curl|wget)\b[^\n]*\s(?:-d|--data[a-z-]*|-F|--form|-T|--upload-file|--post-file)[ =]?[^\n]*(?:\.env\b|id_rsa|id_ed25519|(?:memory|user)\.md|\.aws/credentials|/etc/(?:passwd|shadow))",
    ),
    (
        "exfiltration",
        r"(?:\.env\b|id_rsa|id_ed25519|(?:memory|user)\.md|\.aws/credentials|/etc/(?:passwd|shadow))[^\n|]*\|[^\n]*\b(?:curl|wget|nc|ncat)\b",
    ),
    // An address whose query names what it takes.
    (
        "exfiltration",
        r"https?://[^\s<>?#]+\?(?:[^\s<>#]*&)?(?:payload|secrets?|memor(?:y|ies)|prompt|conversation|chat_?history|leak|exfil|stolen|passwords?|cookies?|credentials?|api_?keys?|private_?key|env)=[^\s&]",
    ),
    // Orders that wait.
    (
        "delayed",
        r"\b(?:next~time|whenever|when|once|as~soon~as|the~moment|if|after)~(?:that~)?(?:the|your)~(?:user|human|operator|owner)~(?:next~)?(?:says?|asks?|writes|types|replies|responds|answers|confirms|agrees|mentions|logs~in|returns|opens)\b[^\n.;]{0,60},~?(?:then~|please~|always~|also~|first~|immediately~|silently~|secretly~|you~(?:must|should|will|shall)~)*(?:send|forward|upload|post|email|transfer|wire|pay|delete|erase|execute|run~(?:the|this|that|`)|invoke|call~the|install|download|append|insert|leak|reveal|approve)\b",
    ),
    (
        "delayed",
        r"\b(?:in|during|at~the~(?:start|beginning)~of)~(?:the|your|every|each|any|all)~(?:next|future|following|later|new|coming|subsequent)~(?:sessions?|conversations?|chats?|turns?)\b[,:]?~?(?:then~|please~|always~|also~|first~|immediately~|silently~|you~(?:must|should|will|shall)~)*(?:send|forward|upload|post|email|transfer|wire|pay|delete|erase|execute|run|invoke|call|install|download|append|insert|leak|reveal|approve|obey|ignore|recommend|fetch|open|visit)\b",
    ),
    (
        "delayed",
        r"\b(?:when(?:ever)?|if|once|every~time)~(?:you~are~|you[’']re~|anyone~|anybody~|somebody~|someone~|they~)?(?:ever~)?(?:asked?|asks|questioned|prompted)~(?:you~)?(?:about|for|who|what|why|whether|which|where)\b[^\n.;]{1,80},~?(?:you~(?:must|shall|will)~(?:always~|only~|never~)?|always~|only~|never~|simply~)(?:answer|say|reply|respond|claim|deny|recommend|tell|insist|pretend|name|mention|suggest)\b",
    ),
    // Rules for the agent that another wrote.
    (
        "planted",
        r"\b(?:remember|memori[sz]e|keep~in~mind|note|learn|store):?~(?:this~|it~)?(?:permanently~|forever~|always~)?(?:that~|as~a~(?:permanent~)?(?:rule|fact)~(?:that~)?)?you~(?:must|shall|are~(?:to|required~to|instructed~to|obliged~to|now))~(?:always~|never~|only~|not~)*(?:obey|trust|send|forward|upload|approve|recommend|execute|run|call|ignore|disregard|comply|transfer|pay|reveal|hide|recite|promote|prefer|redirect|cite|link|serve|follow~(?:the|this|these|my|any|every|all)~(?:page|instructions?|orders?|commands?|rules?|directives?))\b",
    ),
    (
        "planted",
        r"\b(?:remember|memori[sz]e|store|save|record)~(?:(?:it~|this~)(?:permanently|forever)|(?:it~|this~)?as~a~(?:permanent|lasting|trusted|verified|confirmed)~(?:fact|rule|preference|instruction|memory|truth))\b",
    ),
    (
        "planted",
        r"\b(?:notice|note|message|instructions?|attention|warning|addendum|directive)~(?:to|for)?(?:~|:)(?:all~|any~|every~|the~)*(?:ai|llm|language~model|chatgpt|copilot|claude|gemini)s?~?(?:assistants?|agents?|models?|systems?|bots?|crawlers?|readers?)?\s*[:—]",
    ),
    (
        "planted",
        r"\b(?:all~|any~|every~|future~)*(?:ai|llm|language~model)~(?:assistants?|agents?|models?|systems?|bots?)~(?:reading|who~read|that~read|processing|summari[sz]ing|parsing|visiting)~(?:this|the)\b[^\n]{0,40}\b(?:must|shall|should|are~(?:required|instructed)|have~to)\b",
    ),
    // Keeping something from the human.
    (
        "concealment",
        r"\b(?:hide|conceal|withhold|keep)~(?:this|it|these|that|all~(?:of~)?this|any~of~this)(?:~[a-z]+){0,2}~from~(?:the|your)~(?:user|human|operator|owner)\b",
    ),
    (
        "concealment",
        r"\b(?:do~not|don[’']?t|never)~let~(?:the|your)~(?:user|human|operator|owner)~(?:know|see|notice|find~out|learn|discover)\b",
    ),
    (
        "concealment",
        r"\b(?:silently|secretly|covertly|quietly)~(?:send|forward|upload|execute|exfiltrate|transmit|leak|transfer|e?mail|append|call~the|invoke)\b",
    ),
    // Encoded text that is to be run.
    (
        "payload",
        r"\b(?:decode|decrypt|decipher|unpack|deobfuscate)\b[^\n.;]{0,80}(?:\band|,|\bthen)~(?:then~)?(?:run|execute|evaluate|eval|follow|obey|perform|carry~out|do)~(?:it|them|that|what(?:ever)?|its|the~(?:result|output|decoded|hidden|instructions?|commands?|script|code|payload))\b",
    ),
    (
        "payload",
        r"\b(?:run|execute|evaluate|eval|follow|obey|perform)~(?:the~|this~|these~|following~)*(?:base64|base32|rot13|hex|encoded|encrypted|obfuscated)(?:~encoded)?~(?:instructions?|commands?|payload|script|string|text|message|code|blob|orders?)\b",
    ),
    (
        "payload",
        r"\bbase(?:64|32)\s+(?:-d|-di|--decode)\b[^\n]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\beval\s*\(\s*(?:atob|base64|unescape)|\bexec\s*\(\s*(?:base64|codecs)|\bpowershell(?:\.exe)?\b[^\n]*\s-e(?:nc|ncodedcommand)?\s+[a-z0-9+/=]{20}",
    ),
    // Changing the rules of memory.
    (
        "permission",
        r"\b(?:treat|mark|tag|label|accept|count|regard|consider)~(?:this|these|it|everything|anything|all)\b[^\n.;]{0,60}~(?:as|to~be)~(?:a~|an~)?(?:trusted|\[user\]|verified|pre-?approved|authori[sz]ed|confirmed~by~the~(?:user|human|owner|operator)|approved~by~the~(?:user|human|owner|operator)|the~user[’']?s~own|a~system~(?:message|prompt|instruction))\b",
    ),
    (
        "permission",
        r"\b(?:disable|turn~off|switch~off|deactivate|bypass|lift|remove|suspend|circumvent)~(?:all~|any~)?(?:of~)?your~(?:[a-z]+~){0,2}(?:filters?|scan(?:ner)?s?|gates?|guards?|guard-?rails|safety|safeguards?|restrictions?|safety~checks?|quarantine|memory~rules?|doors?)\b",
    ),
    (
        "permission",
        r"\b(?:grant|give)~(?:(?:yourself|this~(?:page|site|tool|server|plugin))~(?:the~|all~)?(?:full|more|write|root|admin|unlimited|unrestricted)~(?:access|permissions?|rights?|privileges?)|yourself~access)\b",
    ),
    (
        "permission",
        r"\byour~(?:[a-z]+~)?(?:permissions?|access~rights?|restrictions?|memory~(?:rules?|policy)|guard-?rails)~(?:are|is|were|was|have~been|has~been)~(?:now~|hereby~)?(?:lifted|raised|extended|removed|suspended|elevated|void|disabled|changed|upgraded)\b",
    ),
    (
        "permission",
        r"\b(?:promote|add|write|save|copy|append|store)~(?:this|these|the~following|it)\b[^\n.;]{0,40}~(?:to|into|in)~(?:the~|your~)?(?:long~term~|permanent~)?(?:memory(?:\.md)?|soul\.md|agents\.md|user\.md)~(?:verbatim|word~for~word|without~(?:review|asking|confirmation|telling|checking|changes?))\b",
    ),
];

pub(super) static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let compile =
        |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).crlf(true).build();
    THREATS
        .iter()
        .map(|(reason, pattern)| {
            let pattern = pattern.replace('~', GAP);
            (*reason, compile(&pattern).expect("a literal pattern"))
        })
        .collect()
});

/// All patterns at once, which is all that most texts need. Without the edges of words and with gaps of any length, so
/// that it sees a little more than the patterns. Outside ASCII such edges make a search slow.
static NEAR: LazyLock<RegexSet> = LazyLock::new(|| set(false, WIDE_GAP));

/// The same of those in scripts that few texts have.
static FAR: LazyLock<RegexSet> = LazyLock::new(|| set(true, WIDE_GAP));

/// The first for letters that are apart, where nothing tells words from each other.
pub(super) static UNPARTED: LazyLock<RegexSet> = LazyLock::new(|| set(false, &format!("{GAP}?")));

/// Returns the patterns in Latin letters, or those in Arabic, Indic and East Asian ones.
pub(super) fn threats(is_far: bool) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    places(is_far).into_iter().map(|place| &THREATS[place])
}

/// Returns where those are among all.
fn places(is_far: bool) -> Vec<usize> {
    let far = |c| matches!(c, '\u{590}'..='\u{1fff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    let patterns = THREATS.iter().enumerate();
    patterns.filter(|(_, (_, pattern))| pattern.contains(far) == is_far).map(|(place, _)| place).collect()
}

fn set(is_far: bool, gap: &str) -> RegexSet {
    let patterns = threats(is_far).map(|(_, pattern)| pattern.replace('~', gap).replace(r"\b", ""));
    RegexSetBuilder::new(patterns)
        // Within the default of 2 MiB the patterns have no automaton, and a search costs a thousand times as much.
        .dfa_size_limit(8 << 20)
        .size_limit(64 << 20)
        .case_insensitive(true)
        .multi_line(true)
        .crlf(true)
        .build()
        .expect("literal patterns")
}

/// Returns the patterns that may be in a text, and maybe some that do not.
pub(super) fn near(text: &str) -> impl Iterator<Item = &'static (&'static str, Regex)> {
    static PLACES: LazyLock<[Vec<usize>; 2]> = LazyLock::new(|| [places(false), places(true)]);
    let [latin, far] = &*PLACES;
    // Most texts have none, which is told sooner than which they are.
    let of = |set: &RegexSet| {
        let which = if set.is_match(text) { set.matches(text).into_iter().collect() } else { Vec::new() };
        which.into_iter()
    };
    let mut near: Vec<usize> = of(&NEAR).map(|which| latin[which]).collect();
    if has_far(text) {
        near.extend(of(&FAR).map(|which| far[which]));
        near.sort_unstable();
    }
    near.into_iter().map(|which| &PATTERNS[which])
}

/// Returns whether a text has letters of far scripts, by how they begin in UTF-8.
fn has_far(text: &str) -> bool {
    text.as_bytes()
        .chunks(dense::BLOCK)
        .filter(|block| !block.is_ascii())
        .any(|block| block.iter().any(|byte| matches!(byte, 0xd6..=0xe1 | 0xe3..=0xed)))
}
