/* The contrast (WCAG 2.2, 1.4.3 and 1.4.11) of every text and every chart mark with what is behind it. */
const channels = (text) => {
  const numbers = text.match(/[\d.]+(e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
  /* color(srgb r g b / a) has channels from 0 to 1 */
  const scale = text.startsWith("color(") ? 255 : 1;
  if (text.startsWith("#")) return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)).concat(1);
  return [...numbers.slice(0, 3).map((number) => number * scale), numbers[3] ?? 1];
};
const over = ([r, g, b, a], below) => [r, g, b].map((number, at) => number * a + below[at] * (1 - a)).concat(1);
const luminance = (colour) => {
  const [r, g, b] = colour.map((number) => (number / 255 <= 0.04045 ? number / 255 / 12.92 : ((number / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
};
const ratio = (front, back) => {
  const [low, high] = [luminance(front), luminance(back)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode;
  const element = node.parentElement;
  const style = getComputedStyle(element);
  if (!node.textContent.trim() || element.closest("script, style, noscript, .hidden, .skip, button:disabled, option")) continue;
  if (!element.getClientRects().length || style.visibility === "hidden") continue;
  const isSvg = element instanceof SVGElement;
  const back = behind(isSvg ? element.closest(".chart") : element);
  const front = over(channels(isSvg ? style.fill : style.color), back);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  texts.push({ text: node.textContent.trim().slice(0, 40), ratio: ratio(front, back), least: large ? 3 : 4.5 });
}
const marks = [];
for (const mark of document.querySelectorAll(".chart .role-mark.mark-symbol path, .chart .role-mark.mark-rule line, .chart .role-mark.mark-rect path, .interval .at, .interval .chance, input, select, button:not(.sort, .open, :disabled)")) {
  const style = getComputedStyle(mark);
  const isSvg = mark instanceof SVGElement;
  const paint = !isSvg ? style.borderTopColor : style.fill === "none" || mark.tagName === "line" ? style.stroke : style.fill;
  const back = behind(isSvg ? mark.closest(".chart, td") : mark.parentElement);
  marks.push({ mark: mark.outerHTML.slice(0, 80), ratio: ratio(over(channels(paint), back), back) });
}
return { texts, marks, paper: luminance(behind(document.body)) };
