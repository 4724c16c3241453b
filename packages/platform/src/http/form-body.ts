/** Reads forms: urlencoded, as browsers and OAuth 2 clients send them, or multipart, as many generated clients do. */

/** Returns no fields for other content types. Empty fields and files are left out; the last field of a name counts. */
export async function readForm(text: string, contentType: string): Promise<Readonly<Record<string, string>>> {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
  const form = isForm ? await new Response(text, { headers: { 'content-type': contentType } }).formData().catch(() => null) : null
  return Object.fromEntries([...(form ?? [])].filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== ''))
}
