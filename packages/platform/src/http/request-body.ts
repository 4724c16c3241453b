/** What was sent as a body, as values to judge. What would take long to read is refused before it is read. */
import { InvalidRequest, valueError } from './api-error.ts'
import { hasTooManyValues, MAX_BODY_VALUES } from './body-values.ts'
import { readForm } from './form-body.ts'
import { findJsonFault } from './json-fault.ts'

/** Some three times the longest that fits a form of ours: plus signs alone take half a microsecond each. */
export const MAX_FORM_CHARACTERS = 32_768

/** Undefined when nothing was sent. Throws InvalidRequest for what is no JSON, and for what has too many values. */
export async function readBody(sent: unknown, contentType: string, isForm: boolean): Promise<unknown> {
  const text = typeof sent === 'string' ? sent : ''
  if (isForm) {
    if (text.length > MAX_FORM_CHARACTERS) throw valueError(['body'], `a form has at most ${MAX_FORM_CHARACTERS} characters`, null)
    if (/^application\/json/i.test(contentType))
      throw valueError(['body'], 'expected a form: Content-Type application/x-www-form-urlencoded', null)
    return readForm(text, contentType)
  }
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (text === '') return undefined
  // of any other kind it is a text, which no schema of ours takes
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) {
    if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data')
      throw valueError(['body'], 'expected JSON: Content-Type application/json', null)
    return text
  }
  if (hasTooManyValues(text)) throw valueError(['body'], `a body has at most ${MAX_BODY_VALUES} values`, null)
  try {
    return JSON.parse(text)
  } catch {
    const { position, expected } = findJsonFault(text) ?? { position: 0, expected: 'Expecting value' }
    throw new InvalidRequest([
      { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error: expected } },
    ])
  }
}
