/**
 * Base errors of all packages. A failed operation throws a coded error; bad outside input is a value with a reason, except in decoders,
 * which throw CodecError.
 */
export type ErrorDetails = Readonly<Record<string, string | number | bigint | boolean | null>>

/** Base of all deliberate errors. `code` is `<package>/<what>` and never changes after a release. */
export abstract class NodeError<C extends string = string> extends Error {
  abstract readonly code: C
  readonly details: ErrorDetails
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.details = details
    this.name = new.target.name
  }
}

/** Reaction of a loop to an error: retry with backoff, reset to a safe point, or stop. */
export type Severity = 'temporary' | 'reset' | 'critical'

/** Returns the severity of an error, 'temporary' for one that states none, such as an error of a transport. */
export function severityOf(error: unknown): Severity {
  if (typeof error === 'object' && error !== null && 'severity' in error) {
    const { severity } = error
    if (severity === 'temporary' || severity === 'reset' || severity === 'critical') return severity
  }
  return 'temporary'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export type CodecErrorCode =
  | 'codec/hex'
  | 'codec/hash'
  | 'codec/address'
  | 'codec/number'
  | 'codec/rlp'
  | 'codec/transaction'
  | 'codec/header'
  | 'codec/receipt'
  | 'codec/payload'
  | 'codec/state-diff'
  | 'codec/json'
  | 'codec/frame'
  | 'codec/batch'
  | 'codec/blob'
  | 'codec/l1-info'
  | 'codec/deposit-log'
  | 'codec/system-config'

/** Malformed bytes or text. */
export class CodecError extends NodeError<CodecErrorCode> {
  readonly code: CodecErrorCode
  constructor(code: CodecErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
