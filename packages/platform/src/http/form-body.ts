/** The fields of a form, urlencoded as browsers and OAuth2 clients send it, or in parts as many generated clients do. */

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** No fields when it is no form. An empty field is one that was not filled in, a file is no field, the last of a name counts. */
export async function readForm(text: string, contentType: string): Promise<Readonly<Record<string, string>>> {
  const kind = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const fields = kind === URLENCODED ? [...new URLSearchParams(text)] : kind === MULTIPART ? await readParts(text, contentType) : []
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

async function readParts(text: string, contentType: string): Promise<readonly (readonly [string, string])[]> {
  const form = await new Response(text, { headers: { 'content-type': contentType } }).formData().catch(() => null)
  return form === null ? [] : [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
}
