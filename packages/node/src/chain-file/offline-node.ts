import { join } from 'node:path'
import { forkLimitOf } from '@keelson/chainspec'
import { readGenesisBlock } from '@keelson/devnet/network-files'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode, opChainRules } from '@keelson/execution'
import { claimDataDirectory, type OptionValues, openLevelStore } from '@keelson/runtime'
import { stateLimits, type stateOptions } from '../commands/execution/state-options.ts'
import { createKzg } from '../crypto/kzg.ts'
import { createPairingCurves } from '../crypto/pairing-curves.ts'
import { openEngine } from '../evm/open-engine.ts'
import type { Role, roleOptions } from '../role/role.ts'
import { openRollupConfig, type rollupOptions } from '../role/rollup-option.ts'
import { VERSION } from '../version.ts'

export interface OfflineNode {
  readonly node: ExecutionNode
  close(): Promise<void>
}

export interface OfflineValues
  extends OptionValues<typeof rollupOptions>,
    OptionValues<typeof roleOptions>,
    OptionValues<typeof stateOptions> {
  readonly dataDir: string
}

export async function openOfflineNode(values: OfflineValues, role: Role, layoutVersion: number): Promise<OfflineNode> {
  const { clock, log, metrics, crypto, random } = role
  const rollup = openRollupConfig(values, log, clock)
  const { header, accounts } = readGenesisBlock(values.network, rollup)
  await claimDataDirectory(values.dataDir, {
    version: layoutVersion,
    role: 'execution',
    chainId: rollup.l2ChainId,
    genesisHash: rollup.genesis.l2.hash,
  })
  const store = await openLevelStore({ directory: join(values.dataDir, 'chain') })
  const kzg = createKzg()
  const node = await createExecutionNode(
    { ...DEFAULT_EXECUTION_OPTIONS, state: stateLimits(values, rollup.blockTimeSec), version: VERSION },
    {
      chain: { chainId: rollup.l2ChainId, rules: opChainRules(rollup.forks, forkLimitOf(rollup)), genesis: { header, alloc: accounts } },
      store,
      clock,
      random,
      log,
      metrics,
      crypto,
      evm: openEngine('wasm-interpreter', { crypto, kzg, curves: await createPairingCurves() }),
    },
  )
  await node.start(new AbortController().signal)
  return {
    node,
    async close() {
      await node.stop()
      await kzg.close()
      await store.close()
    },
  }
}
