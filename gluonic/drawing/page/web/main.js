// Where the page begins.

import { Page } from "./page.js";

globalThis.page = new Page(JSON.parse(document.getElementById("graph").textContent));
