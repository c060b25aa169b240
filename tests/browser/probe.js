// Looks at a page as a browser has laid it out, and tells the page around it what is wrong.
"use strict";
const wrong = [];
const called = (element) => `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 30)}"`;
const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
const light = (colour) => {
  const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = channels(colour).map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
// The colour behind an element: that of the first one around it that has any.
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (channels(colour).length === 3 || channels(colour)[3] === 1) return colour;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)";
};
const scrolls = (element) => {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
  }
  return false;
};
const wide = document.documentElement.scrollWidth - window.innerWidth;
if (wide > 0) wrong.push(`the page is ${wide} pixels wider than the window`);
for (const element of document.querySelectorAll("body *")) {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  if (!box.width || !box.height || style.visibility === "hidden" || element.closest("svg, .skip")) continue;
  if (box.right > window.innerWidth + 1 && !scrolls(element)) wrong.push(`${called(element)} goes beyond the window`);
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!hasText) continue;
  if (element.scrollWidth > element.clientWidth + 1 && style.overflowX === "hidden") wrong.push(`${called(element)} is cut`);
  if (parseFloat(style.fontSize) < 11) wrong.push(`${called(element)} is smaller than 11 pixels`);
  const [one, other] = [light(style.color), light(behind(element))].sort((a, b) => b - a);
  const contrast = (one + 0.05) / (other + 0.05);
  if (contrast < 4.5) wrong.push(`${called(element)} has a contrast of ${contrast.toFixed(1)}`);
}
parent.postMessage(wrong.length ? wrong.slice(0, 5).join("; ") : `fine at ${window.innerWidth}`, "*");
