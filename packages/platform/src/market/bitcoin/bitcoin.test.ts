import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpClient } from '@keelson/runtime'
import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { createJsonSource } from '../http/json-source.ts'
import { SourceError } from '../source-error.ts'
import { decodeBitcoinTx } from './decode-tx.ts'
import { latestBitcoinBlock, latestBlock } from './latest-block.ts'
import { classifyScript } from './scripts.ts'

const GENESIS_COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'
/** BIP 143, native P2WPKH. */
const BIP143 =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'
const decoded = (raw_tx: string) => {
  const outcome = decodeBitcoinTx({ raw_tx })
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.detail)
  return outcome.value
}
const hash256 = (bytes: Uint8Array) => {
  const sha = (data: Uint8Array) => createHash('sha256').update(data).digest()
  return sha(sha(bytes)).reverse().toString('hex')
}

describe('bitcoin transactions', () => {
  it('of the first block: a coinbase that pays 50 to a key', () => {
    const tx = decoded(GENESIS_COINBASE)
    assert.equal(tx.txid, '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b')
    assert.deepEqual([tx.wtxid, tx.coinbase, tx.segwit, tx.size, tx.weight], [tx.txid, true, false, 204, 816])
    assert.deepEqual([tx.inputs[0]?.txid, tx.inputs[0]?.vout], [null, null])
    assert.deepEqual([tx.outputs[0]?.value_btc, tx.outputs[0]?.type, tx.outputs[0]?.address], ['50', 'p2pk', null])
  })

  it('with witnesses: both ids, weight, scripts and addresses', () => {
    const tx = decoded(`0x${BIP143.toUpperCase()}`)
    const raw = Buffer.from(BIP143, 'hex')
    const witness = raw.length - 4 - (1 + 1 + 1 + 0x47 + 1 + 0x21)
    const stripped = Buffer.concat([raw.subarray(0, 4), raw.subarray(6, witness), raw.subarray(-4)])
    assert.deepEqual([tx.txid, tx.wtxid], [hash256(stripped), hash256(raw)])
    assert.deepEqual([tx.size, tx.weight], [raw.length, 3 * stripped.length + raw.length])
    assert.deepEqual([tx.locktime, tx.segwit, tx.coinbase, tx.replaceable], [17, true, false, true])
    assert.deepEqual(
      tx.inputs.map(({ txid, vout, sequence, witness }) => [txid, vout, sequence, witness.length]),
      [
        ['9f96ade4b41d5433f4eda31e1738ec2b36f6e7d1420d94a6af99801a88f7f7ff', 0, 0xffffffee, 0],
        ['8ac60eb9575db5b2d987e29f301b5b819ea83a5c6579d282d189cc04b8e151ef', 1, 0xffffffff, 2],
      ],
    )
    assert.deepEqual(
      tx.outputs.map(({ n, value_sats, type }) => [n, value_sats, type]),
      [
        [0, '112340000', 'p2pkh'],
        [1, '223450000', 'p2pkh'],
      ],
    )
    assert.match(
      tx.outputs[0]?.script_pubkey.asm ?? '',
      /^OP_DUP OP_HASH160 8280b37df378db99f66f85c95a783a76ac7a6d59 OP_EQUALVERIFY OP_CHECKSIG$/,
    )
    assert.equal(tx.total_output_sats, '335790000')
  })

  for (const [script, type] of [
    ['0014751e76e8199196d454941c45d1b3a323f1433bd6', 'p2wpkh'],
    [`0020${'11'.repeat(32)}`, 'p2wsh'],
    [`5120${'79'.repeat(32)}`, 'p2tr'],
    ['51024e73', 'p2a'],
    ['51024e74', 'witness_unknown'],
    [`0015${'11'.repeat(21)}`, 'nonstandard'],
    ['6a0568656c6c6f', 'op_return'],
    [`5121${'02'.repeat(33)}21${'03'.repeat(33)}52ae`, 'multisig'],
    [`5321${'02'.repeat(33)}21${'03'.repeat(33)}52ae`, 'nonstandard'],
    ['', 'nonstandard'],
    ['4c', 'nonstandard'],
  ] as const) {
    it(`call ${script.slice(0, 20)} ${type}`, () => assert.equal(classifyScript(Buffer.from(script, 'hex')).type, type))
  }

  it('that are cut, padded, overdrawn or no hex are refused with what is wrong', () => {
    const overdrawn = new Transaction()
    overdrawn.addInput(new Uint8Array(32).fill(1), 0)
    overdrawn.outs.push({ script: new Uint8Array(0), value: 2_100_000_000_000_001n })
    for (const [raw, wrong] of [
      ['xyz', /hex digits/],
      ['abc', /hex digits/],
      ['', /hex digits/],
      [BIP143.slice(0, -2), /no bitcoin transaction/],
      [`${BIP143}00`, /unexpected data/],
      ['01000000000000000000', /no inputs/],
      [overdrawn.toHex(), /got 2100000000000001/],
      ['00'.repeat(400_001), /at most 400000 bytes/],
    ] as const) {
      const outcome = decodeBitcoinTx({ raw_tx: raw })
      assert.equal(outcome.ok, false, raw.slice(0, 40))
      assert.ok(!outcome.ok && outcome.reason === 'invalid' && wrong.test(outcome.detail), outcome.ok ? '' : outcome.detail)
    }
  })

  it('of tens of thousands of empty outputs or witness items are refused before they are written out', () => {
    const made = (outputs: number, items: number) => {
      const tx = new Transaction()
      tx.addInput(new Uint8Array(32).fill(1), 0)
      for (let i = 0; i < outputs; i++) tx.addOutput(new Uint8Array(0), 0n)
      tx.setWitness(
        0,
        Array.from({ length: items }, () => new Uint8Array(0)),
      )
      return decodeBitcoinTx({ raw_tx: Buffer.from(tx.toBuffer()).toString('hex') })
    }
    for (const outcome of [made(43_000, 0), made(1, 390_000), made(5_000, 5_000)]) {
      assert.ok(!outcome.ok)
      assert.match(outcome.detail, /expected at most 10000 inputs, outputs and witness items together/)
    }
    assert.ok(made(5_000, 4_999).ok)
  })

  it('of any bytes are answered', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(400), fc.nat(255), (noise, place, value) => {
        const changed = Buffer.from(BIP143, 'hex')
        changed[place % changed.length] = value
        for (const bytes of [noise, changed]) {
          const outcome = decodeBitcoinTx({ raw_tx: Buffer.from(bytes).toString('hex') })
          if (outcome.ok) assert.equal(outcome.value.size, bytes.length)
        }
      }),
    )
  })
})

describe('newest bitcoin block', () => {
  const HASH = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
  const BLOCK = {
    id: HASH,
    height: 0,
    version: 1,
    timestamp: 1_231_006_505,
    tx_count: 1,
    size: 285,
    weight: 816,
    merkle_root: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    previousblockhash: null,
    mediantime: 1_231_006_505,
    nonce: 2_083_236_893,
    bits: 486_604_799,
    difficulty: 1,
  }
  const http = createHttpClient()
  let server: Server
  let answers: Record<string, { status?: number; body: string }>
  let url: string
  before(async () => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''] ?? { status: 404, body: 'Block not found' }
      response.writeHead(answer.status ?? 200).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`
  })
  after(() => {
    http.close()
    server.close()
  })
  const latest = () => latestBitcoinBlock(createJsonSource({ name: 'Esplora', baseUrl: url, timeoutMs: 60_000 }, http))
  const whole = (block: object) => ({
    '/api/blocks/tip/hash': { body: `${HASH}\n` },
    [`/api/block/${HASH}`]: { body: JSON.stringify(block) },
  })

  it('is returned with its source', async () => {
    answers = whole(BLOCK)
    const { height, hash, timestamp, previous_hash, source } = await latest()
    assert.deepEqual([height, hash, timestamp, previous_hash], [0, HASH, '2009-01-03T18:15:05.000Z', null])
    assert.equal(source, `Esplora (${new URL(url).host})`)
  })

  it('is an error that names the source when it fails, contradicts itself or is unreachable', async () => {
    for (const [given, reason] of [
      [{ '/api/blocks/tip/hash': { body: 'no hash' } }, 'bad-answer'],
      [{ '/api/blocks/tip/hash': { status: 500, body: 'x' } }, 'refused'],
      [{ '/api/blocks/tip/hash': { body: HASH } }, 'bad-answer'],
      [whole({ ...BLOCK, id: BLOCK.merkle_root }), 'bad-answer'],
      [whole({ ...BLOCK, height: '0' }), 'bad-answer'],
      [{ ...whole(BLOCK), [`/api/block/${HASH}`]: { body: '{' } }, 'bad-answer'],
    ] as const) {
      answers = given
      await assert.rejects(
        latest(),
        (error) => error instanceof SourceError && error.reason === reason && error.source.startsWith('Esplora (127.0.0.1:'),
      )
    }
    const away = createJsonSource({ name: 'Esplora', baseUrl: 'http://127.0.0.1:1' }, http)
    await assert.rejects(latestBitcoinBlock(away), (error) => error instanceof SourceError && error.reason === 'unreachable')
  })

  it('needs a source to be configured', async () => {
    const outcome = await latestBlock(null)
    assert.ok(!outcome.ok && outcome.reason === 'not-configured')
  })
})
