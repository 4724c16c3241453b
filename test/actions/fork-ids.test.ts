import assert from 'node:assert/strict'
import { join } from 'node:path'
import { opChainRules } from '@keelson/execution'
import { readRollupConfig } from '../../packages/devnet/src/network-files/network-files.ts'
import { forkHashText, forkId } from '../../packages/execution/src/fork-id/fork-id.ts'
import { networksFolder } from '../../packages/node/src/networks/shipped-networks.ts'

/** Fork hash and next fork from a time on; published in reth's tests (crates/optimism/chainspec/src/lib.rs, 2025). */
const PUBLISHED: Readonly<Record<string, readonly (readonly [timeSec: number, hash: string, next: number])[]>> = {
  'op-mainnet': [
    [1686068903, '0xe3398d7c', 1704992401],
    [1704992401, '0xbdd4fdb2', 1710374401],
    [1710374401, '0x19da4c52', 1720627201],
    [1720627201, '0x49fbfe1e', 1726070401],
    [1726070401, '0x44704cde', 1736445601],
    [1736445601, '0x2bd93dc8', 1746806401],
    [1746806401, '0x37be758f', 1764691201],
  ],
  'op-sepolia': [
    [1691802540, '0x67a40328', 1699981200],
    [1699981200, '0xa48d6a00', 1708534800],
    [1708534800, '0xcc17c7eb', 1716998400],
    [1716998400, '0x540a8c5d', 1723478400],
    [1723478400, '0x75dea41e', 1732633200],
    [1732633200, '0x4a1c792e', 1744905600],
    [1744905600, '0x6c625ee1', 1763568001],
  ],
  'base-mainnet': [
    [1686789347, '0x67da0260', 1704992401],
    [1704992401, '0x3c283cb3', 1710374401],
    [1710374401, '0x51cc98b3', 1720627201],
    [1720627201, '0xe4010eb9', 1726070401],
    [1726070401, '0xbc38f9ca', 1736445601],
    [1736445601, '0x3a2af183', 1746806401],
    [1746806401, '0x86728b4e', 1764691201],
  ],
  'base-sepolia': [
    [1695768288, '0xb959b9f7', 1699981200],
    [1699981200, '0x607cd5a1', 1708534800],
    [1708534800, '0xbe969b17', 1716998400],
    [1716998400, '0x4e457a49', 1723478400],
    [1723478400, '0x5edfa3b6', 1732633200],
    [1732633200, '0x8b5e7629', 1744905600],
    [1744905600, '0x060a4d1d', 1763568001],
  ],
}

describe('fork ids of public networks', () => {
  for (const [name, steps] of Object.entries(PUBLISHED)) {
    it(`are those of other clients on ${name}`, () => {
      const rollup = readRollupConfig(join(networksFolder(), name))
      const { l2, l2TimestampSec } = rollup.genesis
      const points = opChainRules(rollup.forks).forkPoints?.({ hash: l2.hash, header: { timestampSec: l2TimestampSec } })
      assert.ok(points !== undefined)
      for (const [timestampSec, hash, next] of steps) {
        const id = forkId(points, { number: l2.number, timestampSec })
        assert.deepEqual([forkHashText(id.hash), Number(id.next)], [hash, next], `at ${timestampSec}`)
      }
    })
  }
})
