import { type RpcClient, RpcResponseError } from '@keelson/client'
import { bytesToHex } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'

export interface RpcForwarder {
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  submit(raw: Uint8Array, signal: AbortSignal, conditional?: unknown): Promise<void>
}

const FORWARD_TIMEOUT_MS = 5_000
/** A router of transactions waits for the next leader during a hand-over. */
export const SUBMIT_TIMEOUT_MS = 15_000

export function createRpcForwarder(rpc: RpcClient, what: string, timeoutMs = FORWARD_TIMEOUT_MS): RpcForwarder {
  async function request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    try {
      return await rpc.call(method, params, { signal, retry: false, timeoutMs })
    } catch (cause) {
      if (cause instanceof RpcResponseError) throw new RpcError(cause.number, cause.text, cause.data, { cause })
      // The host may be private.
      throw new RpcError(RPC_ERROR_NUMBERS.server, `${what} does not answer; try again`, undefined, { cause })
    }
  }
  return {
    request,
    async submit(raw, signal, conditional) {
      if (conditional === undefined) await request('eth_sendRawTransaction', [bytesToHex(raw)], signal)
      else await request('eth_sendRawTransactionConditional', [bytesToHex(raw), conditional], signal)
    },
  }
}
