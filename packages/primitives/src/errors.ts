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
