import { RpcResponseError } from '../client-error.ts'

/** Errors of geth and others for an unknown block or label, where the specification requires null. */
const UNKNOWN_BLOCK = /unknown block|block not found|header not found|could not find block|not available|is not finalized/i

export function isUnknownBlock(error: unknown): boolean {
  return error instanceof RpcResponseError && UNKNOWN_BLOCK.test(error.text)
}
