/** Parses the text of a request body. Bodies that would take long to parse are refused first. */
import { InvalidRequest, valueError } from './api-error.ts'
import { hasTooManyValues, MAX_BODY_VALUES } from './body-values.ts'
import { readForm } from './form-body.ts'

/** About three times the longest valid form. */
export const MAX_FORM_CHARACTERS = 32_768

/** Returns undefined for an empty body. Throws InvalidRequest for malformed JSON and for bodies with too many values. */
export async function readBody(sent: unknown, contentType: string, isForm: boolean): Promise<unknown> {
  const text = typeof sent === 'string' ? sent : ''
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (isForm) {
    if (text.length > MAX_FORM_CHARACTERS) throw valueError(['body'], `a form has at most ${MAX_FORM_CHARACTERS} characters`, null)
    if (type === 'application/json') throw valueError(['body'], 'expected a form: Content-Type application/x-www-form-urlencoded', null)
    return readForm(text, contentType)
  }
  if (text === '') return undefined
  if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data')
    throw valueError(['body'], 'expected JSON: Content-Type application/json', null)
  // other types stay text, which no schema accepts
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) return text
  if (hasTooManyValues(text)) throw valueError(['body'], `a body has at most ${MAX_BODY_VALUES} values`, null)
  try {
    return JSON.parse(text)
  } catch {
    // V8's message quotes the body, which may hold a password
    throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON', input: {} }])
  }
}
