import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bytesToHex, createPureCrypto, hexToBytes, keccak256, signatureToBytes, toAddress } from '@keelson/primitives'
import { createRemoteBlockSigner } from './remote-block-signer.ts'

const CHAIN_ID = 84532n
const KEY = new Uint8Array(32).fill(0x5e)
const crypto = createPureCrypto()
const ADDRESS = toAddress(crypto.addressOf(KEY))
const request = { domain: new Uint8Array(32), chainId: CHAIN_ID, payloadHash: new Uint8Array(32).fill(0xab) }

interface Call {
  readonly method: string
  readonly params: readonly Record<string, unknown>[]
}

async function startService(
  answer: (call: Call) => unknown,
): Promise<{ readonly url: string; readonly calls: Call[]; readonly server: Server }> {
  const calls: Call[] = []
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const part of incoming) body += part
    const call = JSON.parse(body) as Call & { id: number }
    calls.push(call)
    const result = answer(call)
    outgoing.setHeader('content-type', 'application/json')
    if (result !== undefined)
      outgoing.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: call.id,
          ...(result instanceof Error ? { error: { code: -32000, message: result.message } } : { result }),
        }),
      )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, server }
}

/** Returns keccak(domain, chain id in 32 bytes, payload hash). */
function digestOf([args]: readonly Record<string, unknown>[]): Uint8Array {
  const domain = args?.domain
  const { chainId, payloadHash } = args ?? {}
  assert.ok(Array.isArray(domain) && domain.length === 32 && domain.every((byte) => Number.isInteger(byte)), 'domain is a list of 32 bytes')
  assert.equal(typeof chainId, 'number')
  assert.match(String(payloadHash), /^[A-Za-z0-9+/]{43}=$/, 'payload hash is 32 bytes in base64')
  const chain = (chainId as number).toString(16).padStart(64, '0')
  const hash = Buffer.from(String(payloadHash), 'base64').toString('hex')
  return keccak256(hexToBytes(`0x${Buffer.from(domain as number[]).toString('hex')}${chain}${hash}`))
}

const signed = (key: Uint8Array) => (call: Call) => bytesToHex(signatureToBytes(crypto.sign(digestOf(call.params), key)))

describe('the remote block signer', () => {
  const servers: Server[] = []
  after(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function against(answer: (call: Call) => unknown, timeoutMs = 60_000) {
    const { url, calls, server } = await startService(answer)
    servers.push(server)
    const call = async (method: string, params: readonly unknown[]) => {
      const response = await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
      if (error !== undefined) throw new Error(error.message)
      return result
    }
    return { calls, signer: createRemoteBlockSigner({ address: ADDRESS, host: new URL(url).host }, { call, crypto }) }
  }

  it('gives domain, chain id and payload hash, never a digest, and takes the signature of the expected account', async () => {
    const { calls, signer } = await against(signed(KEY))
    const signature = await signer.sign(request)
    assert.equal(signature.length, 65)
    assert.equal(calls[0]?.method, 'opsigner_signBlockPayload')
    assert.deepEqual(Object.keys(calls[0]?.params[0] ?? {}).sort(), ['chainId', 'domain', 'payloadHash', 'senderAddress'])
    assert.equal(calls[0]?.params[0]?.chainId, 84532)
    assert.equal(calls[0]?.params[0]?.senderAddress, ADDRESS)
    await signer.check(CHAIN_ID)
    assert.equal(calls[1]?.params[0]?.payloadHash, Buffer.alloc(32).toString('base64'), 'what is signed for a check is no block')
  })

  it('takes yParity as 27 or 28 too, and a signature inside an object', async () => {
    const { signer } = await against((call) => {
      const signature = hexToBytes(signed(KEY)(call))
      signature[64] = (signature[64] as number) + 27
      return { signature: bytesToHex(signature) }
    })
    assert.ok(([0, 1] as (number | undefined)[]).includes((await signer.sign(request))[64]))
  })

  it('refuses the signature of another account, naming both', async () => {
    const other = new Uint8Array(32).fill(7)
    const { signer } = await against(signed(other))
    const message = new RegExp(`signs as ${toAddress(crypto.addressOf(other))}, expected ${ADDRESS}; check --p2p.signer.address`)
    await assert.rejects(signer.check(CHAIN_ID), (error: Error) => message.test(error.message))
  })

  for (const [what, answer, expected] of [
    ['an error', () => new Error('client is not allowed'), /does not sign: client is not allowed; check --p2p.signer.endpoint/],
    ['a short answer', () => '0x1234', /no signature of 65 bytes/],
    ['nothing that is hex', () => 17, /no signature of 65 bytes/],
    ['a signature of nobody', () => `0x${'00'.repeat(65)}`, /signs as nobody/],
  ] as const) {
    it(`says what is wrong with ${what}`, async () => {
      const { signer } = await against(answer)
      await assert.rejects(signer.sign(request), { code: 'consensus/block-signer', severity: 'temporary', message: expected })
    })
  }

  it('says so when no answer comes in time', async () => {
    const { signer } = await against(() => undefined, 50)
    await assert.rejects(signer.sign(request), { code: 'consensus/block-signer', message: /does not sign: .*timeout/ })
  })
})
