/**
 * Refusals as values that are thrown: whoever answers a request throws one of these, and the server turns it into the
 * body the interface names: `{detail: "text"}`, or `{detail: [issues]}` for what does not fit the schema.
 */
import { NodeError } from '@keelson/primitives'

/** One entry of a validation error; `type` and `msg` are pydantic's. */
export interface ValidationIssue {
  readonly type: string
  /** Where: body, query or path first, then field names and indices. */
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

export type ApiStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503

export interface ApiErrorExtras {
  readonly headers?: Readonly<Record<string, string>>
  /** Fields of the body beside `detail`. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A refusal with its status; the message is what the caller reads, so nothing secret may be in it. */
export class ApiError extends NodeError<'platform/refused'> {
  readonly code = 'platform/refused'
  readonly status: ApiStatus
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>
  constructor(status: ApiStatus, detail: string, { headers = {}, fields = {}, cause }: ApiErrorExtras = {}) {
    super(detail, { status }, cause === undefined ? {} : { cause })
    this.status = status
    this.headers = headers
    this.fields = fields
  }
}

/** What was sent does not fit: status 422. */
export class InvalidRequest extends NodeError<'platform/invalid-request'> {
  readonly code = 'platform/invalid-request'
  readonly issues: readonly ValidationIssue[]
  constructor(issues: readonly ValidationIssue[]) {
    super(`the request does not fit: ${issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')}`, { issues: issues.length })
    this.issues = issues
  }
}

/** A value that fits its type but not the rules: `value_error` at that place, as a validator of pydantic would give. */
export function valueError(loc: readonly (string | number)[], message: string, input: unknown): InvalidRequest {
  return new InvalidRequest([{ type: 'value_error', loc, msg: `Value error, ${message}`, input, ctx: { error: message } }])
}

/** 401 asks for a token, in the words of RFC 6750. */
export function unauthorized(detail: string): ApiError {
  return new ApiError(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
}
