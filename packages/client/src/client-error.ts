import { type Severity, SeverityError } from '@keelson/primitives'

export type ClientErrorCode =
  | 'client/unreachable'
  | 'client/timeout'
  | 'client/aborted'
  | 'client/http-status'
  | 'client/unauthorized'
  | 'client/rate-limited'
  | 'client/too-large'
  | 'client/bad-answer'
  | 'client/rpc'
  | 'client/block-mismatch'
  | 'client/receipts-missing'
  | 'client/block-missing'
  | 'client/blobs-unavailable'
  | 'client/wrong-chain'
  | 'client/signer'
  | 'client/spending-limit'
  | 'client/unsupported-fork'
  | 'client/insufficient-funds'
  | 'client/transaction-reverts'
  | 'client/transaction-rejected'
  | 'client/nonce-taken'
  | 'client/queue-full'
  | 'client/journal'
  | 'client/stopped'

export class ClientError extends SeverityError<ClientErrorCode> {}

/** Another node chooses the text: without line breaks and escapes it cannot forge log lines or control a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

export class RpcResponseError extends ClientError {
  readonly number: number
  readonly text: string
  readonly data: unknown
  constructor(severity: Severity, method: string, number: number, text: string, data: unknown) {
    super('client/rpc', severity, `${method} was answered with error ${number}: ${printable(text.slice(0, 500))}`, { method, number })
    this.number = number
    this.text = text
    this.data = data
  }
}

export function isTemporary(error: unknown): boolean {
  return error instanceof ClientError && error.severity === 'temporary'
}
