export const SIGN_IN_PAGE_POLICY = "default-src 'none'; form-action 'self'; frame-ancestors 'none'"

export function signInPage(state: string): string {
  const escaped = state.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>
<body><h1>Sign in</h1>
<p>This network accepts any name. Enter the name to sign in with: lower-case letters, digits and dashes.</p>
<form action="/api/verify/local" method="get">
<input type="hidden" name="state" value="${escaped}">
<label>Name <input name="login" required maxlength="39" pattern="[a-z0-9\\-]+" autocomplete="username" autofocus></label>
<button>Sign in</button>
</form></body></html>
`
}
