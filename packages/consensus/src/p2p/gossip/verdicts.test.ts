import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { blockSigningRequest, concatBytes, createPureCrypto, encodeSignedPart, type PayloadVersion, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import { makePayload, type PayloadRequest } from '../../../../../test/support/payloads.ts'
import type { GossipVerdict } from '../../ports.ts'
import { createLocalBlockSigner } from './block-signer.ts'
import { createBlockValidator } from './block-validator.ts'
import { encodeBlockMessage } from './encode-message.ts'
import { createMessageJudge } from './message-judge.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const NOW_MS = 1_800_000_000_000
const CHAIN_ID = 84532n
const VERSIONS = [1, 2, 3, 4] as const
const HOUR_MS = 3_600_000
const crypto = createPureCrypto()
const [signer, next, stranger] = [7, 8, 9].map((seed) => createLocalBlockSigner(crypto, new Uint8Array(32).fill(seed))) as [
  ReturnType<typeof createLocalBlockSigner>,
  ReturnType<typeof createLocalBlockSigner>,
  ReturnType<typeof createLocalBlockSigner>,
]

interface Change extends Partial<PayloadRequest> {
  readonly by?: typeof signer
  /** Seconds from the start of the test. */
  readonly atSec?: number
}

/** A node that judges what one peer sends. */
class Node {
  readonly clock = createManualClock(NOW_MS)
  named: typeof signer | null = signer
  readonly #judge: ReturnType<typeof createMessageJudge>

  constructor({ isJovian = false, forkAtSec = null as number | null } = {}) {
    const validator = createBlockValidator({
      chainId: CHAIN_ID,
      signer: () => this.named?.address ?? null,
      nowMs: this.clock.nowMs,
      usesBlobGasField: () => isJovian,
      unsupportedFork: forkAtSec === null ? null : { name: 'beryl', timeSec: NOW_MS / 1000 + forkAtSec },
      crypto,
    })
    this.#judge = createMessageJudge({
      topics: new Map(VERSIONS.map((version) => [String(version), version])),
      validator,
      onJudgement: () => undefined,
      clock: this.clock,
      log: createSilentLogger(),
    })
  }

  hear(message: Uint8Array, version: PayloadVersion = 4): GossipVerdict {
    return this.#judge(String(version), message, 'peer')
  }

  async block({ by = signer, atSec = 0, ...change }: Change = {}, version?: PayloadVersion): Promise<GossipVerdict> {
    return this.hear(await blockOf({ by, atSec, ...change }), version ?? change.version ?? 4)
  }

  /** A block shows that this node's clock is right. */
  async withProvenClock(): Promise<this> {
    assert.equal(await this.block({ number: 1 }), 'accept')
    return this
  }
}

async function blockOf({ by = signer, atSec = 0, ...change }: Change): Promise<Uint8Array> {
  const timestampSec = NOW_MS / 1000 + atSec
  const request = { number: 9, parentHash: ZERO_HASH, timestampSec, l1Origin: { hash: ZERO_HASH, number: 1 }, sequenceNumber: 0, ...change }
  return (await encodeBlockMessage(CHAIN_ID, by, makePayload(request))).message
}

async function signedAsIs(envelope: ReturnType<typeof makePayload>): Promise<Uint8Array> {
  const part = encodeSignedPart(envelope)
  return snappyCompress(concatBytes(await signer.sign(blockSigningRequest(CHAIN_ID, part)), part))
}

const goodPayload = () =>
  makePayload({
    number: 9,
    parentHash: ZERO_HASH,
    timestampSec: NOW_MS / 1000,
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
  })

async function afterChange(node: Node): Promise<Node> {
  assert.equal(await node.block({ number: 1 }), 'accept')
  node.named = next
  return node
}

async function flooded(node: Node): Promise<GossipVerdict> {
  for (let i = 0; i < 60; i++) node.hear(snappyCompress(new Uint8Array(200)))
  return node.block()
}

/** The verdict that each row of the README promises for the block that the row describes. */
const ROWS: Readonly<Record<string, () => GossipVerdict | Promise<GossipVerdict>>> = {
  'above the rate of messages that are no new valid blocks, while this clock is proven': async () =>
    flooded(await new Node().withProvenClock()),
  'above that rate, while this clock may be wrong': () => flooded(new Node()),
  'compression invalid, or too long': () => new Node().hear(new Uint8Array(6).fill(255)),
  'shorter than a signature and a byte': () => new Node().hear(snappyCompress(new Uint8Array(65))),
  'no signer is known': () => {
    const node = new Node()
    node.named = null
    return node.block()
  },
  'the signature is of nobody': () => new Node().hear(snappyCompress(new Uint8Array(600))),
  'signed by another key': () => new Node().block({ by: stranger }),
  'signed by the previous signer, before the new one has signed, within 3 hours': async () => {
    const node = await afterChange(new Node())
    assert.equal(await node.block({ number: 2 }), 'accept', 'the change is seen')
    await node.clock.advance(3 * HOUR_MS - 1_000)
    assert.equal(await node.block({ number: 3, atSec: 3 * 3_600 - 1 }), 'accept')
    await node.clock.advance(1_000)
    assert.equal(await node.block({ number: 4, atSec: 3 * 3_600 }), 'reject', 'the time is over')
    return (await afterChange(new Node())).block({ number: 2 })
  },
  'a new block of the previous signer after a block of the new one': async () => {
    const node = await afterChange(new Node())
    assert.equal(await node.block({ number: 2, by: next }), 'accept')
    return node.block({ number: 3 })
  },
  'a copy of an accepted block, of its own signer, after the signer has changed': async () => {
    const node = await afterChange(new Node())
    assert.equal(await node.block({ number: 2, by: next }), 'accept')
    return node.block({ number: 1 })
  },
  'encoding invalid on its topic': async () => {
    for (const version of VERSIONS) {
      for (const topic of VERSIONS.filter((other) => other !== version)) {
        assert.equal(await new Node().block({ version }, topic), 'ignore', `version ${version} on the topic of ${topic}`)
      }
    }
    return new Node().block({ version: 4 }, 3)
  },
  'older than 60 s': async () => (await new Node().withProvenClock()).block({ atSec: -61 }),
  'older than 60 s, while this clock may be wrong': () => new Node().block({ atSec: -61 }),
  'up to 65 s old, a copy of an accepted block': async () => {
    const node = await new Node().withProvenClock()
    await node.clock.advance(65_000)
    assert.equal(await node.block({ number: 2, atSec: 60 }), 'accept')
    return node.block({ number: 1 })
  },
  'more than 5 s ahead': async () => (await new Node().withProvenClock()).block({ atSec: 6 }),
  'more than 5 s ahead, while this clock may be wrong': () => new Node().block({ atSec: 6 }),
  'the block hash does not match': async () => {
    const good = goodPayload()
    return new Node().hear(await signedAsIs({ ...good, payload: { ...good.payload, gasUsed: 1n } }))
  },
  'withdrawals in the list, from version 2': async () => {
    const withdrawal = { index: 0n, validatorIndex: 0n, address: goodPayload().payload.feeRecipient, amountGwei: 1n }
    for (const version of [2, 3, 4] as const) {
      assert.equal(await new Node().block({ version, change: { withdrawals: [withdrawal] } }), 'ignore', `version ${version}`)
    }
    return new Node().block({ change: { withdrawals: [withdrawal] } })
  },
  'blob gas used before Jovian, from version 3': async () => {
    assert.equal(await new Node().block({ version: 3, change: { blobGasUsed: 5n } }), 'ignore')
    return new Node().block({ change: { blobGasUsed: 5n } })
  },
  'blob gas used from Jovian on': () => new Node({ isJovian: true }).block({ change: { blobGasUsed: 5n } }),
  'excess blob gas, from version 3': async () => {
    assert.equal(await new Node().block({ version: 3, change: { excessBlobGas: 1n } }), 'ignore')
    return new Node().block({ change: { excessBlobGas: 1n } })
  },
  'more than five other blocks of its height': async () => {
    const node = new Node()
    for (let gasUsed = 1n; gasUsed <= 6n; gasUsed++) assert.equal(await node.block({ change: { gasUsed } }), 'accept')
    return node.block({ change: { gasUsed: 7n } })
  },
  'already seen': async () => {
    const node = new Node()
    await node.block()
    return node.block()
  },
  'new and valid': async () => {
    for (const version of VERSIONS) assert.equal(await new Node().block({ version }), 'accept', `version ${version}`)
    return new Node().block()
  },
  'of a fork that this release does not implement': () => new Node({ forkAtSec: 0 }).block(),
}

describe('verdicts on gossiped blocks', () => {
  const table = README.slice(README.indexOf('| rule for a gossiped block |')).split('\n\n')[0] as string
  const promised = table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))

  for (const [, rule = '', here, opNode, why] of promised) {
    it(`${rule}: ${here}`, async () => {
      const row = ROWS[rule]
      assert.ok(row !== undefined, 'no block is made for this row')
      assert.equal(await row(), here)
      assert.equal(why !== '', here !== opNode, 'a reason, where the verdicts differ')
    })
  }

  it('each rule that is tried has its row', () => {
    assert.deepEqual(promised.map(([, rule]) => rule).sort(), Object.keys(ROWS).sort())
  })

  it('a follower whose first blocks come before it knows the signer hears the same peer afterwards', async () => {
    const node = new Node()
    node.named = null
    for (let number = 1; number <= 50; number++) assert.equal(await node.block({ number }), 'defer')
    node.named = signer
    assert.equal(await node.block({ number: 50 }), 'accept')
  })
})
