/**
 * Errors every package shares. A failure to do one's job throws a coded error; bad outside input
 * is a value with a reason, except inside decoders, which throw CodecError for their caller to turn
 * into one.
 */
export type ErrorDetails = Readonly<Record<string, string | number | bigint | boolean | null>>

/** Base of all errors the node raises on purpose. `code` is `<package>/<what>` and never changes once released. */
export abstract class NodeError<C extends string = string> extends Error {
  abstract readonly code: C
  readonly details: ErrorDetails
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.details = details
    this.name = new.target.name
  }
}

/** What a loop does about a failure: back off and retry, rewind to a safe point, or stop loudly. */
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

/** Bytes or text that do not have the form they claim. */
export class CodecError extends NodeError<CodecErrorCode> {
  readonly code: CodecErrorCode
  constructor(code: CodecErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
