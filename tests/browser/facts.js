// Opens the page at three widths and writes its faults, one a line, below the number of texts that were read.
const page = document.getElementById('page').value;
const faults = new Set();
let read = 0;

function channels(color) {
  const numbers = color.match(/[\d.]+/g).map(Number);
  return { rgb: numbers.slice(0, 3), alpha: numbers.length > 3 ? numbers[3] : 1 };
}

function luminance(rgb) {
  const [r, g, b] = rgb.map(v => v / 255).map(v => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function behind(element, view) {
  for (let at = element; at; at = at.parentElement) {
    const { rgb, alpha } = channels(view.getComputedStyle(at).backgroundColor);
    if (alpha > 0.99) return rgb;
  }
  return [255, 255, 255];
}

function look(frame, width) {
  const view = frame.contentWindow, root = frame.contentDocument;
  const wide = root.documentElement.scrollWidth;
  if (wide > width) faults.add(`${width}: the page is ${wide} wide`);
  for (const details of root.querySelectorAll('details')) details.open = true;
  const walk = root.createTreeWalker(root.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode, element = text.parentElement;
    if (!text.data.trim() || element.closest('.skip')) continue;
    read += 1;
    const words = text.data.trim().slice(0, 40), style = view.getComputedStyle(element);
    const range = root.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    const scrolls = element.closest('.scroll, pre, table');
    if (!scrolls && (box.right > width + 1 || box.left < -1)) faults.add(`${width}: outside of the screen: ${words}`);
    for (let at = element; at && at !== root.body; at = at.parentElement) {
      const clips = ['hidden', 'clip'].includes(view.getComputedStyle(at).overflowX);
      if (clips && !at.closest('svg') && box.right > at.getBoundingClientRect().right + 1) faults.add(`${width}: clipped: ${words}`);
    }
    const ink = channels(element.closest('svg') ? style.fill : style.color);
    const ratio = contrast(ink.rgb, behind(element.closest('svg') ?? element, view));
    if (ratio < 4.5) faults.add(`${width}: contrast ${ratio.toFixed(2)}: ${words}`);
  }
}

const widths = [360, 768, 1280];
let left = widths.length;
for (const width of widths) {
  const frame = document.createElement('iframe');
  frame.style.cssText = `border:0;width:${width}px;height:2000px`;
  frame.addEventListener('load', () => {
    look(frame, width);
    left -= 1;
    if (left === 0) document.body.textContent = ['', `read ${read} texts`, ...faults, ''].join('\n');
  });
  frame.srcdoc = page;
  document.body.append(frame);
}
