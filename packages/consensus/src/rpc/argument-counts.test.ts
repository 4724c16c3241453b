import assert from 'node:assert/strict'
import { RpcError } from '@keelson/runtime'
import { createAdminMethods } from './admin-rpc.ts'
import { limitConsensusArguments } from './argument-counts.ts'
import { createAttestationMethods } from './attestation-rpc.ts'
import { createP2pAdminMethods, createP2pMethods } from './p2p-rpc.ts'
import { createRollupMethods } from './rollup-rpc.ts'

const context = { signal: new AbortController().signal, transport: 'http' } as const

describe('surplus parameters of the consensus client', () => {
  it('are refused for every method, as geth and op-node refuse them', async () => {
    const methods = limitConsensusArguments({
      ...createRollupMethods({} as never),
      ...createAttestationMethods(null),
      ...createP2pMethods(null),
      ...createAdminMethods({ driver: null, sequencer: null, setLogLevel: null } as never),
      ...createP2pAdminMethods(null),
    })
    const names = Object.keys(methods)
    for (const name of [
      'rollup_syncStatus',
      'optimism_syncStatus',
      'rollup_rollupConfig',
      'rollup_outputAtBlock',
      'opp2p_self',
      'admin_stopSequencer',
    ])
      assert.ok(names.includes(name), name)
    for (const [name, method] of Object.entries(methods))
      await assert.rejects(
        async () => method(['a', 'b'], context),
        (error) => error instanceof RpcError && error.number === -32602 && /^too many arguments, want at most [01]$/.test(error.message),
        name,
      )
  })
})
