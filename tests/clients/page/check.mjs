// Opens HTML results in Chromium and fails where a page does anything, or where axe-core finds something grave.
//
//   npm install --no-save playwright-core axe-core        (somewhere; NODE_PATH names its node_modules)
//   node tests/clients/page/check.mjs [--shots DIR] PAGE.html...
//
// Each page is opened at three widths, light and dark, printed, and searched for what a fold hides. CHROMIUM names
// another browser. Hostile pages: `PAGES=DIR cargo test --lib hostile` writes them into a folder that is there.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const args = process.argv.slice(2);
const shots = args[0] === "--shots" ? args.splice(0, 2)[1] : undefined;
const wrong = [];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});

// As a reader opens it: the page does nothing of its own.
async function opened(file, name) {
  for (const scheme of ["light", "dark"]) {
    for (const width of [400, 1000, 1600]) {
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
      const url = pathToFileURL(file).href;
      page.on("request", (request) => request.url() !== url && wrong.push(`${name}: asks for ${request.url()}`));
      page.on("console", (message) => wrong.push(`${name}: console: ${message.text()}`));
      page.on("pageerror", (error) => wrong.push(`${name}: error: ${error}`));
      page.on("dialog", (dialog) => { wrong.push(`${name}: dialog: ${dialog.message()}`); return dialog.dismiss(); });
      const begun = Date.now();
      await page.goto(url);
      if (width === 1000 && scheme === "light") console.log(`${name}: ${fs.statSync(file).size} bytes, ${Date.now() - begun} ms`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (over > 0) wrong.push(`${name}: ${over} pixels wider than ${width}`);
      const active = await page.locator("script, iframe, img, object, embed, form, input, base, link, [onload], [onerror], [style], foreignObject").count();
      if (active > 0) wrong.push(`${name}: ${active} elements that no page has`);
      if (shots) await page.screenshot({ path: path.join(shots, `${name}-${width}-${scheme}.png`) });
      await page.close();
    }
  }
}

// With every fold open, as axe-core sees it. Its script needs a page without the policy.
async function judged(file, name) {
  for (const [colorScheme, media] of [["light", "screen"], ["dark", "screen"], ["light", "print"]]) {
    const context = await browser.newContext({ bypassCSP: true, colorScheme });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.emulateMedia({ media, colorScheme });
    if (media === "print") {
      const hidden = await page.evaluate(() => [...document.querySelectorAll("details > div")].filter((fold) => fold.getBoundingClientRect().height === 0).length);
      if (hidden > 0) wrong.push(`${name}: ${hidden} folds are not printed`);
    }
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
    await page.addScriptTag({ content: axe });
    const found = await page.evaluate(() => window.axe.run());
    for (const { id, impact, nodes } of found.violations) {
      console.log(`${name} (${colorScheme}, ${media}): ${impact}: ${id}: ${nodes[0].html.slice(0, 160)} (${nodes.length})`);
      if (["serious", "critical"].includes(impact)) wrong.push(`${name} (${colorScheme}, ${media}): ${id}`);
    }
    await context.close();
  }
}

// A search unfolds what it finds, and so does a link to words.
async function searched(file, name) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  const words = await page.evaluate(() => {
    const hidden = [...document.querySelectorAll("details:not([open]) > div > p, details:not([open]) td:last-child")];
    const all = document.body.textContent;
    return hidden.map((part) => part.textContent.trim()).find((text) => /^[\w ,.]{12,80}$/.test(text) && all.split(text).length === 2);
  });
  await page.close();
  if (!words) return;
  const other = await browser.newPage();
  await other.goto(`${pathToFileURL(file).href}#:~:text=${encodeURIComponent(words)}`);
  const unfolds = (words) => [...document.querySelectorAll("details[open]")].some((fold) => fold.textContent.includes(words));
  await other.waitForFunction(unfolds, words, { timeout: 5000 }).catch(() => wrong.push(`${name}: "${words}" stays folded`));
  await other.close();
}

for (const file of args) {
  const name = path.basename(file, ".html");
  await opened(file, name);
  await judged(file, name);
  await searched(file, name);
}
await browser.close();
console.log(wrong.length ? wrong.join("\n") : "nothing wrong");
process.exit(wrong.length ? 1 : 0);
