import { InvalidRequest, valueError } from '../api-error.ts'
import { apartFromIntegers } from './inexact-numbers.ts'
import { stringEnd } from './string-end.ts'

/** Parsing 10 MB of tiny values takes seconds and a gigabyte of memory. */
const MAX_BODY_VALUES = 20_000
const MAX_FORM_CHARACTERS = 32_768

const [QUOTE, COMMA, OPEN_LIST, OPEN_OBJECT] = [0x22, 0x2c, 0x5b, 0x7b]

const parseJson = (text: string): unknown => JSON.parse(apartFromIntegers(text))

export async function readBody(sent: unknown, contentType: string, isForm: boolean, parse = parseJson): Promise<unknown> {
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
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) return text
  if (hasTooManyValues(text)) throw valueError(['body'], `a body has at most ${MAX_BODY_VALUES} values`, null)
  try {
    return parse(text)
  } catch {
    // V8's message quotes the body, which may hold a password
    throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON', input: {} }])
  }
}

/** If a field is repeated, the last one counts. Empty fields and files are ignored. */
async function readForm(text: string, contentType: string): Promise<Readonly<Record<string, string>>> {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
  const form = isForm ? await new Response(text, { headers: { 'content-type': contentType } }).formData().catch(() => null) : null
  return Object.fromEntries([...(form ?? [])].filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== ''))
}

export function hasTooManyValues(text: string, most = MAX_BODY_VALUES): boolean {
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === COMMA || char === OPEN_LIST || char === OPEN_OBJECT) {
      if (++values > most) return true
    } else if (char === QUOTE) at = stringEnd(text, at)
  }
  return false
}
