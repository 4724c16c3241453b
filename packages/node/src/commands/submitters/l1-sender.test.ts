import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { l1ConfigAtGenesis } from '@keelson/chainspec'
import type { RpcClient } from '@keelson/client'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { createPureCrypto, formatQuantity, type Hash, type Kzg } from '@keelson/primitives'
import { createManualClock, createMetrics, resolveOptions } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../../test/support/recording-logger.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../../test/support/rollup-config.ts'
import type { Role } from '../../role/role.ts'
import { l1SenderOptions, openL1Sender } from './l1-sender.ts'

const config = (genesis: string) =>
  makeRollupConfig({
    l1ChainId: 900_084n,
    l2ChainId: 84_532n,
    l1Genesis: { hash: `0x${'01'.repeat(32)}` as Hash, number: 0 },
    l2Genesis: { hash: `0x${genesis.repeat(32)}` as Hash, number: 0, timestampSec: 1_700_000_000 },
    batcher: DEV_ROLES.batcher.address,
    forks: JOVIAN_FROM_GENESIS,
  })
const L1: RpcClient = {
  host: 'l1',
  call: () => assert.fail('opening asks nothing of L1'),
  batch: () => assert.fail('opening asks nothing of L1'),
  close: () => undefined,
}

describe('the L1 account of batcher and proposer', () => {
  let folder: string
  const role = (): Role => ({
    clock: createManualClock(),
    random: { bytes: (length: number) => new Uint8Array(length), number: () => 0 } as unknown as Role['random'],
    log: createRecordingLogger(),
    metrics: createMetrics('keelson_test'),
    crypto: createPureCrypto(),
    rpc: () => L1,
    setLogLevel: () => assert.fail('the log stays as it is'),
    run: () => assert.fail('only opened'),
  })
  async function open(name: 'batcher' | 'proposer', genesis = '02', l1: RpcClient = L1) {
    const { privateKey } = DEV_ROLES.batcher
    const { values } = resolveOptions(l1SenderOptions, { flags: { 'data-dir': folder, 'l1.rpc': 'http://l1', 'private-key': privateKey } })
    const { manager, services } = await openL1Sender(
      name,
      values,
      role(),
      l1,
      config(genesis),
      l1ConfigAtGenesis(900_084n, 'prague'),
      {} as Kzg,
    )
    const close = () => services[0]?.stop() ?? assert.fail('the journal closes first to open, last to stop')
    return { manager, close }
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-sender-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is that of the key, which is written nowhere', async () => {
    const { manager, close } = await open('batcher')
    assert.equal(manager.address, DEV_ROLES.batcher.address)
    await close()
    assert.ok(!readFileSync(join(folder, 'identity.json'), 'utf8').includes(DEV_ROLES.batcher.privateKey.slice(2)))
    await (await open('batcher')).close()
  })

  it('keeps its journal to one chain and one role', async () => {
    await (await open('batcher')).close()
    await assert.rejects(open('batcher', '03'), { code: 'runtime/data-directory-chain' })
    await assert.rejects(open('proposer'), { code: 'runtime/data-directory-chain' })
  })

  it('pays by default no tip beyond twice the base fee or 10 gwei, whatever its node asks for', async () => {
    const answers: Record<string, unknown> = {
      eth_getBlockByNumber: { baseFeePerGas: formatQuantity(10n ** 9n) },
      eth_maxPriorityFeePerGas: formatQuantity(11n * 10n ** 9n),
      eth_estimateGas: '0x5208',
    }
    const call = async (method: string) => answers[method] ?? assert.fail(`${method} is not asked`)
    const { manager, close } = await open('proposer', '02', { ...L1, call })
    await assert.rejects(manager.send({ to: DEV_ROLES.batcher.address, data: Uint8Array.of(1) }), {
      code: 'client/spending-limit',
      message: /asks for a tip of 11000000000 wei .* the cap is 10000000000 \(--txmgr\.max-tip-cap\)/,
    })
    await close()
  })
})
