import type { RpcClient } from '@keelson/client'
import { CodecError } from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'

/** Throws a temporary ValidatorError `consensus/attestations` for a malformed answer. */
export async function askNode<T>(rpc: RpcClient, method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> {
  const answer = await rpc.call(method, params)
  try {
    return parse(answer)
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause
    throw new ValidatorError('consensus/attestations', 'temporary', `${rpc.host} answered ${method}: ${cause.message}`, {}, { cause })
  }
}
