//! Words that begin a curated line in upper case and are no names.

use crate::base::list::List;

/// Returns whether a word, or what it is a form of, is common: "Runs", "Meetings", "Decided".
pub(crate) fn is_common(lower: &str) -> bool {
    let listed = |word: &str| WORDS.has(word);
    let stems = [
        ("ies", "y"),
        ("ied", "y"),
        ("es", ""),
        ("s", ""),
        ("ed", ""),
        ("ed", "e"),
        ("d", ""),
        ("ing", ""),
        ("ing", "e"),
    ];
    let is_form = |(ending, base): &(&str, &str)| {
        lower.strip_suffix(ending).is_some_and(|stem| {
            // "planned" is a form of "plan".
            let mut undoubled = stem.chars();
            undoubled.next_back();
            stem.len() > 1
                && (listed(&format!("{stem}{base}")) || (base.is_empty() && listed(undoubled.as_str())))
        })
    };
    listed(lower) || stems.iter().any(is_form) || has_common_ending(lower)
}

/// Endings that English gives to common words, and hardly to a name.
fn has_common_ending(lower: &str) -> bool {
    let endings = [
        "tion", "tions", "sion", "sions", "ness", "ments", "ology", "ivity", "ability", "able", "ible",
        "less", "ward", "wards", "ically", "ively", "ently", "antly", "ously",
    ];
    lower.len() > 6 && endings.iter().any(|ending| lower.ends_with(ending))
}

static WORDS: List = List::new(
    "\
a about above abroad accept access according account action active actual add address after afternoon again \
against age agent agenda agree aim alarm alert all allergic allergy allow almost alone along already also \
although always ambition among amount an and animal anniversary annoy annual another answer any anyone \
anything apartment api apologise apologize app appear application apply appointment appreciate approve \
architecture area around arrange arrive article as ask aspire assess assign assistant assume at attempt attend audit \
author auto automate availability available average avoid aware away baby back backend background backlog backup \
bake bank base because become bed bedroom bedtime before begin behind believe belong below benefit besides best \
better between big bike bill bind biggest birth birthday block blog blood board boat body book born boss both bought branch \
bread break breakfast bring brother browser budget bug build bus business busy but buy by cache cake calendar call camera can \
cancel cannot capital car card care career careful carry case cash cat catch category cause celebrate certain \
certificate chair change channel chapter charge chase cheap check chef child childhood children choice choose chose chosen chronic church \
city class clean clear client clients climate clinic close cloud club coach code coffee colleague collect college color colour come comment \
commit common communicate communication community company compare complain complete computer concern config configure confirm \
confirmed connect consider consult contact contain content continue contract control convention cook copy core correct cost could council count \
country couple course cousin cover crash create credit critical culture cup currency current currently customer cut cycle \
dad daily dance dark dashboard data database date daughter day deadline deal debt debug decide decided decision decline deep default defer degree delay delete deliver dentist depend deploy deposit desk \
despite detail develop developer device diagnosis diagnosed diet differ difference different difficult dinner direct disable \
discount discuss discover disease dislike divorce do docs doctor document does dog domain done door double down download \
draft draw dream drink drive driver drop drug dry due during duty each early earn easy eat editor education effort either \
elder eldest else email embed emergency emphasis employ employer empty enable encourage encrypt end energy engage engineer enjoy enough ensure \
enter environment error escalate especially estimate even evening event eventually ever every everybody everyone everything exact example \
except excited exercise expand expect expense experience experiment explain explore export express extra eye face fact fail \
fall family fan far fast father favor favorite favour favourite fear feature feedback feel fever few field file fill \
film final finance find fine finish fire first fish fitness five fix flag flat flight flow fly focus follow food foot football for \
forbid force forget form formal format former four free freelance frequent fresh friend from front frontend frozen fruit full fun function \
fund future game garden general generate gentle get gift girlfriend boyfriend give given go goal goes going gone good got grade grandchild granddaughter grandfather grandmother grandson grant great green \
ground group grow growth guest guide guitar gym had hair half hand handle happen happy hard hardware has hate have he head health \
healthy hear heart heat height help her here high hike hire his historic history hit hobby hold holiday home homework \
hope horse hospital host hot hotel hour hourly house how however human hurt husband i idea identity if ignore ill illness image immediate \
impact implement important import improve in income increase index inform informed information initial input insist install instead insulin \
insurance intend interest internal internet interview into introduce invest investigate investor invite invoice involve is issue it item its itself \
job join joint journal journey judge jump junior just keep kept key keyboard kid kind kitchen knee know lab label lack language \
laptop large last late latency later latest launch law lawyer layout lead leader league learn learned learnt lease least leave lecture left leg legal length less lesson let \
letter level library licence license life lift light like limit line link list listen literature little live living loan \
local location lock log logo long look lose loss lost lot love low lower loyal lunch machine made mail main mainly maintain make \
male man manage manager many map margin mark market marriage married match material maximum may maybe me meal mean measure meat \
medical medication medicine meet meeting member memory mention mentor menu merge message metric middle might migrate migration mild mile milestone military milk \
mind minimum minor miss missing mission mix mobile mode model module mom moment money monitor month monthly more morning mortgage most mostly mother mountain \
move movie much mug mum music musician must my name narrow native near nearly neck need negotiate neighbor neighbour neither nephew \
nervous network never new newsletter next nice niece night nightly no nobody noise none nor normal normally not note nothing notice notify now number nurse object \
objective observe occupation of off offer office official often old oldest on onboard once one ongoing only open opening operate operation operator opinion opposite oppose opt or \
order organic organise organize original other our out outage outdoor output outside over overall own owner pack package page paid pain paint pair paper parent parents park \
part partner party pass password past path patient pattern pause pay payment peanut people per percent perform period permanent permission person \
personal personality pet phase phone photo phrase physical piano pick picture piece pin pipeline place plan plane plant play please plot plumber plus podcast point \
policy pool poor popular port portfolio position positive possible post pot potential power practice practise pre precise prefer preferably preferred preference pregnant premium \
prepare present press pressure prevent previous previously price primary principal print prior prioritise prioritize priority private prize probably problem procedure process produce product production \
profession professional profile profit program programme progress project promise promote promotion proper property propose protect protein prototype prove provide \
public publish pull punctual purchase purpose push put quality quantity quarter quarterly query question quick quickly quiet quit quite \
quote race raise ran range rare rate rather reach react read ready real really reason rebuild recall receive recent recently \
recipe recommend record recover recurring red reduce refactor refer refine refund refuse regard region register regular regularly reject relate relationship \
relative relax release relevant reliable rely remain remember remind reminder remote remove renew rent repair repeat replace reply report repository \
represent request require required requirement research reserve resign resolve resource respond response responsibility rest restaurant restore result resume retain retire retreat retry \
return reuse revenue review revise rewrite ride right rise risk road role roll rollback roof room rotate rough round routine row rule run safe \
safety said salary sale same sample sandbox save saw say schedule scheme school science scope score screen script sea search season seat second secret section secure security see seek \
seem seen select sell send senior sense sensitive sent separate series serious serve server service session set settle setup several severe shall shape share she shell shift ship shipment \
shop short shoulder should show shut sibling sick side sign significant similar simple since single sister sit site situation six size ski skill skip sleep slow small \
smart smoke snack so social software sold some somebody someone something sometimes son soon sort sound soup source space spare speak \
special specific speech speed spend split sponsor sport spouse spread staff stage staging stand standard standup star start state statement status \
stay step stick still stock stomach stop storage store story strategy stream street stress strict strong structure struggle student study studio style subject submit subscribe subscription success such \
sudden suffer sugar suggest suit summary supper supplier supplies supply support suppose sure surgery surname surprise sweet swim switch symptom sync system tab table tabs take taken talk target task \
taste taught tax tea teach teacher team tech technical technique teenage temperature temporary ten tenant term terminal test tested tests text than thank \
that the their them theme themselves then therapist therapy there these they thing think third this those though thought three \
threshold through throughout thus ticket tidy till time timeline timezone tip tired title to today together told tomorrow tone tonight too took \
tool top topic total touch tour toward town track trade tradition traffic train trainer training transfer translate transport travel treat treatment trend trial \
trip trouble truck true trust truth try turn tutor twice twin two type typical typically ultimate unable uncle under undecided understand unemployed uni unique unit university \
unless unlike until unsure untested up upcoming update upgrade upload upon urgent us usage use used user users useful usual usually vacation \
vaccine valid value various vegan vegetable vegetarian vendor venue verify version very vet via video view village vinyl violin visa visit vitamin voice volume vote wait wake walk wall \
want war warn warranty was wash waste watch water way we weak wear weather web website wedding week weekday weekend weekly weigh weight \
welcome well went were wet what when whenever where whether which while white who whole whom whose why wide widow wife wifi will win wine winner wish with within \
without woke woman wonder word work worked workflow working workout works workshop world worry worse worst worth would write wrong wrote yearly year yes yesterday yet yoga you young younger youngest your \
asthma diabetes migraine gluten lactose nut nuts celiac coeliac dairy penicillin pollen shellfish dose daycare kindergarten nursery nanny landlord landlady roommate flatmate \
fiancé fiancée fiance fiancee manuscript novel thesis dissertation exam grade invoices vat commute commuter marathon runner cyclist climber chess bouldering photographer accountant \
auditor designer consultant contractor engineer programmer scientist analyst architect director intern founder shareholder \
non self multi post co sub anti ex mid mr mrs ms dr prof st ok todo faq eg ie am pm note nb eta pto rfc poc mvp kpi okr pr prs ci cd ui ux id ids url urls pdf pdfs csv tv pc it ai llm llms os cpu gpu ram ssd hr ceo cto cfo \
der die das ein eine und nicht kein keine er sie wir ihr sein nutzer nutzerin benutzer anwender mag hat ist will arbeitet wohnt lebt bevorzugt möchte trinkt isst fährt nutzt verwendet plant kauft termin wichtig hinweis entscheidung aufgabe frist thema wunsch arbeit wohnung familie vermeidet importante nota decisión \
le la les un une utilisateur utilisatrice il elle el los las una usuario usuaria prefiere vive habite préfère aime \
tagged written spoken shown hidden grown born built spent sent held led fed",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_common_words_are_common_and_names_are_not() {
        for word in
            ["runs", "decided", "planned", "meetings", "moving", "stories", "migrations", "preferably"]
        {
            assert!(is_common(word), "{word}");
        }
        for name in [
            "marta",
            "ilya",
            "emily",
            "kelly",
            "alfred",
            "james",
            "thomas",
            "kubernetes",
            "postgres",
            "grafana",
            "acme",
            "oslo",
            "jenkins",
            "clement",
            "agnes",
            "sally",
        ] {
            assert!(!is_common(name), "{name}");
        }
    }
}
