import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveOptions } from '@keelson/runtime'
import { executionP2pOptions, openPeerToPeer } from './p2p-options.ts'

const ENODE = `enode://${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'}@10.0.0.1:30303`

describe('options of the execution network', () => {
  let dataDir = ''
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'p2p-options-'))
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  const open = (flags: Readonly<Record<string, string>>, isPublicNetwork = false) => {
    const { values } = resolveOptions(executionP2pOptions, { flags })
    return openPeerToPeer({ ...values, dataDir }, { chainId: 901n, isPublicNetwork, client: 'x' })
  }

  it('leave a development network without peers, and give a public one peers', async () => {
    assert.equal(await open({}), null)
    assert.equal((await open({}, true))?.options.networkId, 901n)
    assert.equal(await open({ 'p2p.enabled': 'false' }, true), null)
  })

  it('open the network when a peer is named', async () => {
    const opened = await open({ 'p2p.static': ENODE, 'p2p.networkid': '5', 'disable-tx-gossip': 'true', 'p2p.max-peers': '7' })
    assert.deepEqual(
      [
        opened?.options.peers.staticNodes.length,
        opened?.options.networkId,
        opened?.options.gossipTransactions,
        opened?.options.peers.maxPeers,
      ],
      [1, 5n, false, 7],
    )
  })

  it('keep the key of the node in the data folder', async () => {
    const first = await open({ 'p2p.enabled': 'true' })
    assert.match(await readFile(join(dataDir, 'nodekey'), 'utf8'), /^[0-9a-f]{64}\n$/)
    assert.deepEqual((await open({ 'p2p.enabled': 'true' }))?.key.publicKey, first?.key.publicKey)
  })

  it('refuse what is no node', () => {
    assert.throws(() => resolveOptions(executionP2pOptions, { flags: { 'p2p.static': 'enode://ab@host:1' } }), /public key/)
  })
})
