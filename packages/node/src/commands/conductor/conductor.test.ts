import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Candidate,
  type CandidateStatus,
  conductorSecretPath,
  createArbiter,
  createBlockProofCheck,
  defaultConductorOptions,
  OPERATOR,
  openConductorPorts,
  openDiskLedger,
} from '@keelson/conductor'
import { createConductorClient, createLocalBlockSigner } from '@keelson/consensus'
import { envelopeToJson, type PayloadEnvelope, toHash, ZERO_HASH } from '@keelson/primitives'
import {
  createJwt,
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSilentLogger,
  loadJwtSecret,
  type RpcServer,
} from '@keelson/runtime'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { forgetEtcdCommand } from './forget-etcd.ts'

const CHAIN_ID = 84532n
const crypto = createNativeCrypto()
const signer = createLocalBlockSigner(crypto, new Uint8Array(32).fill(0x5e))
const stranger = createLocalBlockSigner(crypto, new Uint8Array(32).fill(0x66))
const HEAD = { number: 8, hash: toHash(`0x${'88'.repeat(32)}`), timestampSec: 1_800_000_000 }

function block(timestampSec: number): PayloadEnvelope {
  return makePayload({ number: 9, parentHash: HEAD.hash, timestampSec, l1Origin: { hash: ZERO_HASH, number: 1 }, sequenceNumber: 0 })
}

function candidate(id: string): Candidate {
  const status: CandidateStatus = { unsafe: HEAD, unsafeOrigin: null, safe: HEAD, active: true, overridden: false, peers: 1 }
  return {
    id,
    address: `memory:${id}`,
    status: async () => status,
    hashAt: async () => HEAD.hash,
    start: async () => undefined,
    stop: async () => undefined,
    postUnsafePayload: async () => undefined,
  }
}

describe('the ports of a conductor', () => {
  let folder: string
  let servers: readonly RpcServer[]
  let arbiter: ReturnType<typeof createArbiter>
  const clock = createManualClock(1_800_000_000_000)
  const open = async (unauthenticated: readonly string[] = [], host = '127.0.0.1') => {
    const log = createSilentLogger()
    arbiter = createArbiter(defaultConductorOptions(2), {
      candidates: [candidate('a'), candidate('b')],
      ledger: openDiskLedger(createMemoryStore()),
      peers: null,
      l1: { hashAt: async () => null },
      originOf: () => ({ number: 1, hash: ZERO_HASH }),
      clock,
      log,
      metrics: createMetrics('keelson_conductor'),
    })
    await arbiter.step()
    await arbiter.step()
    assert.equal(arbiter.leads('a'), true)
    servers = await openConductorPorts(
      {
        host,
        candidates: [
          { id: 'a', port: 0 },
          { id: 'b', port: 0 },
        ],
        unauthenticated,
        operatorPort: 0,
        secrets: folder,
      },
      { arbiter, proof: createBlockProofCheck({ chainId: CHAIN_ID, signer: () => signer.address, crypto }), log, clock },
    )
    for (const server of servers) await server.start(new AbortController().signal)
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-conductor-'))
  })
  afterEach(async () => {
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true })
  })

  const portOf = (id: string) => servers[['a', 'b', OPERATOR].indexOf(id)] as RpcServer
  const tokenOf = async (id: string) => createJwt((await loadJwtSecret(conductorSecretPath(folder, id))).secret, clock)
  const ask = async (id: string, as: string | null, method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const authorization: Record<string, string> = as === null ? {} : { authorization: `Bearer ${await tokenOf(as)}` }
    const response = await fetch(portOf(id).httpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    if (response.status !== 200) return response.status
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    return error === undefined ? result : error.message
  }
  const offer = (as: string, envelope: PayloadEnvelope, by = signer) =>
    createConductorClient(
      async (method, params) => {
        const answer = await ask('a', as, method, ...params)
        if (answer !== null) throw new Error(String(answer))
      },
      { chainId: CHAIN_ID, signer: by },
    ).commitUnsafePayload(envelope)

  it("a block sent to the leader's port without a token is not recorded, and the leader continues", async () => {
    await open()
    assert.equal(await ask('a', null, 'conductor_commitUnsafePayload', envelopeToJson(block(1_800_000_002))), 401)
    assert.equal(await ask('a', null, 'conductor_pause'), 401)
    assert.deepEqual([arbiter.head?.number, arbiter.paused], [8, false])
    const honest = block(1_800_000_004)
    await offer('a', honest)
    assert.deepEqual(arbiter.head, { number: 9, hash: honest.payload.blockHash })
  })

  it("a candidate's token opens no port but its own, and not the operator's", async () => {
    await open()
    const answers = await Promise.all(
      ['a', 'b', OPERATOR].map((as) => Promise.all(['a', 'b', OPERATOR].map((id) => ask(id, as, 'conductor_paused')))),
    )
    assert.deepEqual(answers, [
      [false, 401, 401],
      [401, false, 401],
      [401, 401, false],
    ])
    await assert.rejects(offer('b', block(1_800_000_002)), /401/)
    assert.equal(arbiter.head?.number, 8)
  })

  it('a candidate with a token and without the key of the chain cannot stop the leader with a forged block', async () => {
    await open()
    const forged = block(1_800_000_002)
    const bare = envelopeToJson(forged)
    assert.match(String(await ask('a', 'a', 'conductor_commitUnsafePayload', bare)), /carries no signature/)
    const large = { ...bare, padding: 'f'.repeat(12 * 1024 * 1024) }
    assert.match(String(await ask('a', 'a', 'conductor_commitUnsafePayload', large)), /carries no signature/, 'blocks are large')
    assert.match(String(await ask('a', 'a', 'conductor_commitUnsafePayload', { ...bare, signature: '0x12' })), /65 bytes of hex/)
    await assert.rejects(offer('a', forged, stranger), new RegExp(`signed by ${stranger.address}`))
    const other = block(1_800_000_006)
    let signature: unknown
    await createConductorClient(async (_, [value]) => ({ signature } = value as { signature: unknown }), {
      chainId: CHAIN_ID,
      signer,
    }).commitUnsafePayload(other)
    assert.match(String(await ask('a', 'a', 'conductor_commitUnsafePayload', { ...bare, signature })), /is signed by 0x/)
    assert.equal(arbiter.head?.number, 8)
    await offer('a', block(1_800_000_004))
    assert.equal(arbiter.head?.number, 9)
  })

  it('a refused caller learns which secret file the port wants, and how to make a token', async () => {
    await open()
    for (const [id, as] of [
      ['a', null],
      ['a', 'b'],
      [OPERATOR, 'a'],
    ] as const) {
      const headers: Record<string, string> = as === null ? {} : { authorization: `Bearer ${await tokenOf(as)}` }
      const refused = await fetch(portOf(id).httpUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
      assert.equal(refused.status, 401)
      const text = await refused.text()
      assert.ok(text.includes(`rpc-${id} takes tokens signed with ${id}.hex of the conductor's --jwt-secrets folder`), text)
      assert.ok(text.includes('keelson jwt --token FILE'), text)
    }
  })

  it('no candidate can pause the conductor or move leadership; the operator can', async () => {
    await open()
    for (const method of ['conductor_pause', 'conductor_resume', 'conductor_transferLeader', 'conductor_transferLeaderToServer'])
      assert.match(String(await ask('a', 'a', method, 'a')), /not available|does not exist|not found/i, method)
    assert.equal(await ask(OPERATOR, OPERATOR, 'conductor_pause'), null)
    assert.equal(arbiter.paused, true)
    assert.equal(await ask(OPERATOR, OPERATOR, 'conductor_resume'), null)
    assert.equal(await ask(OPERATOR, OPERATOR, 'conductor_transferLeaderToServer', 'b', ''), null)
    assert.equal(arbiter.leads('b'), true)
  })

  it('a candidate without tokens is served on loopback only, whatever address the other ports listen on', async () => {
    await open(['a'], '0.0.0.0')
    assert.deepEqual(
      servers.map(({ address }) => address.address),
      ['127.0.0.1', '0.0.0.0', '0.0.0.0'],
    )
    assert.equal(await ask('a', null, 'conductor_commitUnsafePayload', envelopeToJson(block(1_800_000_002))), null)
    assert.equal(arbiter.head?.number, 9)
    assert.match(String(await ask('a', null, 'conductor_pause')), /not available|does not exist|not found/i)
  })

  it('secrets are created with access for their owner only', async () => {
    await open()
    for (const id of ['a', 'b', OPERATOR]) assert.equal((await stat(conductorSecretPath(folder, id))).mode & 0o777, 0o600, id)
  })
})

describe('conductor forget-etcd', () => {
  it('refuses a folder that is not of a conductor', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'keelson-conductor-'))
    await assert.rejects(forgetEtcdCommand.run({ dataDir }, { positional: [], version: '' }), {
      code: 'node/usage',
      message: `--data-dir ${dataDir} is not the folder of a conductor`,
    })
    await rm(dataDir, { recursive: true })
  })
})
