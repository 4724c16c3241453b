import { NodeError } from '@keelson/primitives'

/** Thrown by parsers of requests; the error handler answers 400. */
export class RequestMistake extends NodeError<'apps/index-request'> {
  readonly expected: string
  constructor(message: string, expected: string) {
    super('apps/index-request', message)
    this.expected = expected
  }
}

export function shown(given: string): string {
  if (given === '') return 'nothing'
  return given.length > 80 ? `${given.length} characters` : `"${given.replace(/[^\x20-\x7e]/g, '?')}"`
}
