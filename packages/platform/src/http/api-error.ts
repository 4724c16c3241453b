import { NodeError } from '@keelson/primitives'

/** `type` is an error type of pydantic 2. */
export interface ValidationIssue {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

export type ApiStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503

export interface ApiErrorExtras {
  readonly headers?: Readonly<Record<string, string>>
  readonly fields?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The caller reads the message, so it must not contain secrets. */
export class ApiError extends NodeError<'platform/refused'> {
  readonly status: ApiStatus
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>
  constructor(status: ApiStatus, detail: string, { headers = {}, fields = {}, cause }: ApiErrorExtras = {}) {
    super('platform/refused', detail, { status }, cause === undefined ? {} : { cause })
    this.status = status
    this.headers = headers
    this.fields = fields
  }
}

export class InvalidRequest extends NodeError<'platform/invalid-request'> {
  readonly issues: readonly ValidationIssue[]
  constructor(issues: readonly ValidationIssue[]) {
    super('platform/invalid-request', `invalid request: ${issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')}`, {
      issues: issues.length,
    })
    this.issues = issues
  }
}

export function valueIssue(loc: ValidationIssue['loc'], error: string, input: unknown): ValidationIssue {
  return { type: 'value_error', loc, msg: error, input, ctx: { error } }
}

export function valueError(loc: ValidationIssue['loc'], error: string, input: unknown): InvalidRequest {
  return new InvalidRequest([valueIssue(loc, error, input)])
}

/** RFC 6750, section 3. */
export function unauthorized(detail: string): ApiError {
  return new ApiError(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
}
