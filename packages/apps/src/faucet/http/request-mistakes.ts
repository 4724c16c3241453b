import type { FastifyError } from 'fastify'

export interface RequestMistake {
  readonly code: 'request' | 'content-type' | 'too-large'
  readonly text: string
}

export function mistakeIn(error: FastifyError, contentType: string | undefined, maxBodyBytes: number): RequestMistake {
  const [first] = error.validation ?? []
  if (first !== undefined) return { code: 'request', text: fieldMistake(first, error.validationContext === 'querystring') }
  if (error.statusCode === 415) {
    const got = contentType === undefined ? 'none' : contentType.replace(/[^\x20-\x7e]/g, '?').slice(0, 60)
    return { code: 'content-type', text: `expected the header content-type: application/json, got ${got}` }
  }
  if (error.statusCode === 413) return { code: 'too-large', text: `the body is larger than ${maxBodyBytes} bytes` }
  return { code: 'request', text: 'the body cannot be read as JSON' }
}

type Violation = NonNullable<FastifyError['validation']>[number]

function fieldMistake({ keyword, instancePath, params }: Violation, inQuery: boolean): string {
  const name = instancePath.slice(1)
  const what = name === '' ? 'the body' : `"${name}"`
  switch (keyword) {
    case 'required':
      return `"${params.missingProperty}" is missing${inQuery ? ' in the query of the URL' : ' in the body'}`
    case 'type':
      return `${what}: expected ${params.type === 'object' ? 'a JSON object' : `a ${params.type}`}`
    case 'minLength':
      return `${what} must not be empty`
    case 'maxLength':
      return `${what}: expected at most ${params.limit} characters`
    case 'enum':
      return `${what}: expected ${(params.allowedValues as readonly string[]).join(' or ')}`
    case 'pattern':
      return `${what}: expected one line without control characters`
    default:
      return `${what} is invalid`
  }
}
