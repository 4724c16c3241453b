import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { l1PaceOf } from '../../packages/devnet/src/clocks/l1-clock.ts'
import { anvilGenesisArguments } from '../../packages/devnet/src/genesis/devnet/anvil-state.ts'
import { createL1Service } from '../../packages/devnet/src/l1/l1-service.ts'
import { prepareNetwork } from '../../packages/devnet/src/prepare/prepare-network.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'

const CHOICE = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
const noEngine = () => {
  throw new Error('the prebuilt genesis needs no engine')
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe('the L1 of a network in containers', function () {
  this.timeout(120_000)

  it('mines blocks on the clock and continues its chain after a container restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-l1-'))
    try {
      const clock = createSystemClock()
      const network = join(folder, 'network')
      const genesis = await prepareNetwork(network, CHOICE, clock.nowMs() - 3_600_000, noEngine)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const open = () =>
        createL1Service(
          {
            host: '127.0.0.1',
            port,
            genesisArguments: anvilGenesisArguments(genesis),
            folder: join(folder, 'l1'),
            genesisState: join(network, 'anvil-genesis-state.json'),
            pace: l1PaceOf(1, 3600),
          },
          { rpc: { request: (method, params) => rpcCall(url, method, [...params]) }, clock, log: createSilentLogger() },
        )
      const block = (tag: string) => rpcCall<{ number: string; hash: string; timestamp: string }>(url, 'eth_getBlockByNumber', [tag, false])

      const first = open()
      assert.equal(((await first.check.check()) as { ok: boolean }).ok, false)
      await first.start(new AbortController().signal)
      const kept = await eventually('two blocks', async () => {
        const head = await block('latest')
        return Number(head.number) >= 2 ? head : null
      })
      assert.ok(Math.abs(Number(kept.timestamp) - clock.nowMs() / 1000) < 60, 'the chain did not catch up with the clock')
      assert.equal(((await first.check.check()) as { ok: boolean }).ok, true)
      await first.stop()

      const second = open()
      await second.start(new AbortController().signal)
      try {
        assert.equal((await block(kept.number)).hash, kept.hash)
        await eventually('a block after it', async () => (Number((await block('latest')).number) > Number(kept.number) ? true : null))
      } finally {
        await second.stop()
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
