export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Keelson agent platform: API</title>
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<header>
<h1 id="title">Keelson agent platform</h1>
<p id="about">Loading <a href="/openapi.json">/openapi.json</a> ...</p>
<p class="tokens">
<label>User token <input id="UserToken" autocomplete="off" spellcheck="false" placeholder="from register or login"></label>
<label>Session token <input id="SessionToken" autocomplete="off" spellcheck="false" placeholder="from POST /api/v1/auth/session"></label>
</p>
<p><label>Filter <input id="filter" placeholder="path or summary"></label></p>
</header>
<main id="operations"></main>
<noscript>This page needs JavaScript. The description itself is at /openapi.json.</noscript>
</body>
</html>
`

export const DOCS_STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; }
input, textarea { font: 13px/1.4 ui-monospace, monospace; box-sizing: border-box; padding: .3rem; }
.tokens { display: flex; gap: 1rem; flex-wrap: wrap; }
.tokens label { flex: 1 1 20rem; }
.tokens input, textarea { width: 100%; }
h2 { border-bottom: 1px solid #8886; margin-top: 2rem; }
details.operation { border: 1px solid #8886; border-radius: 6px; margin: .4rem 0; padding: .3rem .6rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4.2rem; font: 600 13px ui-monospace, monospace; }
.GET { color: #0a7d32; } .POST { color: #0b62c4; } .PATCH { color: #9a6700; } .DELETE { color: #c0262d; }
.path { font: 13px ui-monospace, monospace; }
.note { opacity: .75; }
.parameter { display: grid; grid-template-columns: 14rem 1fr; gap: .5rem; margin: .3rem 0; align-items: center; }
pre { overflow: auto; max-height: 24rem; background: #8882; padding: .5rem; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
button { margin: .4rem .4rem .4rem 0; padding: .3rem .9rem; }
`
