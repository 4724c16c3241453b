import assert from 'node:assert/strict'
import { RpcError } from '@keelson/runtime'

export async function rejection(promise: Promise<unknown>): Promise<RpcError> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof RpcError, `expected an RPC error, got ${String(error)}`)
    return error
  }
  throw new Error('expected an error response')
}
