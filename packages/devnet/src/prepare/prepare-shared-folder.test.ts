import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVNET_KEY_FORMATS } from '../../../node/src/commands/devnet/key-formats.ts'
import { devnetPaths } from '../roles/devnet-paths.ts'
import { prepareSharedFolder } from './prepare-shared-folder.ts'

const CHOICE = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
const NOW_MS = 1_800_000_000_000
const noEngine = () => {
  throw new Error('the prebuilt genesis needs no engine')
}

describe('keelson devnet prepare', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-shared-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('writes what the roles look for, with the names of their containers in devnet.json', async () => {
    const paths = devnetPaths(folder)
    const facts = await prepareSharedFolder(paths, CHOICE, NOW_MS, noEngine, DEVNET_KEY_FORMATS)
    assert.deepEqual(JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8')), facts)
    assert.equal(facts.l1.rpcUrl, 'http://l1:7545')
    assert.equal(facts.l2.wsUrl, 'ws://execution:8546')
    assert.equal(facts.validator.rollupRpcUrl, 'http://validator-consensus:8965')
    assert.equal(facts.metrics.consensus, 'http://consensus:7300/metrics')
    assert.equal(facts.services.platform, 'http://platform:8000')
    assert.match(facts.sequencerMultiaddr ?? '', /^\/dns4\/consensus\/tcp\/9222\/p2p\/16Uiu2/)
    for (const file of [
      'network/rollup.json',
      'network/anvil-genesis-state.json',
      'sequencer/jwt.hex',
      'validator/jwt.hex',
      'validator/duty/password',
    ])
      assert.ok((await readFile(join(folder, file))).length > 0, file)
  })

  it('containers that start again go on with the same chain, secrets and keys', async () => {
    const paths = devnetPaths(folder)
    const kept = async () =>
      Promise.all(
        ['network/rollup.json', 'sequencer/jwt.hex', 'sequencer/consensus/node.key'].map((file) => readFile(join(folder, file), 'utf8')),
      )
    await prepareSharedFolder(paths, CHOICE, NOW_MS, noEngine, DEVNET_KEY_FORMATS)
    const before = await kept()
    await prepareSharedFolder(paths, CHOICE, NOW_MS + 86_400_000, noEngine, DEVNET_KEY_FORMATS)
    assert.deepEqual(await kept(), before)
  })
})
