import { createL1Chain, type L1Side } from '@keelson/apps/index'
import type { RollupConfig } from '@keelson/chainspec'
import { createBeaconClient } from '@keelson/client'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import type { OptionValues } from '@keelson/runtime'
import { createKzg } from '../../crypto/kzg.ts'
import { openL1 } from '../../l1/l1-connection.ts'
import type { Role } from '../../role/role.ts'
import { findBridgeSenders } from '../bridge/open-network.ts'
import { l1RollupOf } from './l1-rollup.ts'
import type { indexOptions } from './options.ts'

export interface OpenedL1Side {
  readonly side: L1Side
  close(): Promise<void>
}

/** Throws AssemblyError. */
export async function openL1Side(values: OptionValues<typeof indexOptions>, role: Role, config: RollupConfig): Promise<OpenedL1Side> {
  const { clock, random, log, crypto } = role
  const connection = await openL1(values, role, config, readL1ChainConfig(values.network))
  const kzg = createKzg()
  const blobs = values.l1Beacon.length === 0 ? null : createBeaconClient({ urls: values.l1Beacon }, { kzg, crypto, clock, random, log })
  const rollup = l1RollupOf(config, values.l1Batchers, findBridgeSenders(values.network))
  return {
    side: {
      chain: createL1Chain({ client: connection.client, blobs, crypto, rollup, clock }),
      rollup,
      startBlock: config.genesis.l1.number,
    },
    async close() {
      blobs?.close()
      connection.rpc.close()
      await kzg.close()
    },
  }
}
