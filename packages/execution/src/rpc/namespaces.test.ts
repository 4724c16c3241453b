import assert from 'node:assert/strict'
import type { RpcMethods } from '@keelson/runtime'
import { methodClass, PUBLIC_NAMESPACES, selectNamespaces } from './namespaces.ts'

const METHODS: RpcMethods = Object.fromEntries(
  ['eth_call', 'ethereum_x', 'net_version', 'debug_traceCall', 'txpool_status', 'rollup_syncStatus', 'rpc_modules'].map((name) => [
    name,
    () => name,
  ]),
)
const context = { signal: new AbortController().signal, transport: 'http' } as const

describe('namespaces of a port', () => {
  it('are the selected ones, and rpc_modules lists them', async () => {
    const served = selectNamespaces(METHODS, PUBLIC_NAMESPACES)
    assert.deepEqual(Object.keys(served).sort(), ['eth_call', 'net_version', 'rollup_syncStatus', 'rpc_modules'])
    assert.deepEqual(await served.rpc_modules?.([], context), { eth: '1.0', net: '1.0', rollup: '1.0', rpc: '1.0' })
    assert.deepEqual(Object.keys(selectNamespaces(METHODS, ['debug', 'admin'])).sort(), ['debug_traceCall', 'rpc_modules'])
    assert.deepEqual(Object.keys(selectNamespaces(METHODS, [])), ['rpc_modules'])
  })

  it('fall into few classes for the metrics', () => {
    const names = [
      'eth_sendRawTransactionSync',
      'eth_call',
      'eth_getLogs',
      'eth_newBlockFilter',
      'eth_getProof',
      'debug_traceCall',
      'optimism_syncStatus',
      'eth_getBalance',
      'net_version',
      'rpc_modules',
    ]
    assert.deepEqual(names.map(methodClass), ['submit', 'call', 'logs', 'subscribe', 'proof', 'debug', 'rollup', 'read', 'node', 'node'])
  })
})
