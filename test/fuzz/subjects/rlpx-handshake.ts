/** Handshake packets and hellos of strangers: a result or a coded error, and never more than was sent is read. */
import { type Crypto, concatBytes, type RlpInput, rlpEncode, signatureToBytes, utf8ToBytes } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import fc, { type Arbitrary } from 'fast-check'
import { ByteReader } from '../../../packages/execution/src/p2p/rlpx/byte-reader.ts'
import { ECIES_OVERHEAD_BYTES, seal } from '../../../packages/execution/src/p2p/rlpx/ecies.ts'
import { xorBytes } from '../../../packages/execution/src/p2p/rlpx/frame-mac.ts'
import { type HandshakeParts, initiate, respond } from '../../../packages/execution/src/p2p/rlpx/handshake.ts'
import { decodeHello } from '../../../packages/execution/src/p2p/rlpx/hello.ts'
import { type NodeKey, openNodeKey } from '../../../packages/execution/src/p2p/rlpx/node-key.ts'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { holdMemory } from '../held-memory.ts'
import { brokenBytes } from '../mutate.ts'
import { isRefusal, orRefused } from '../p2p/coded.ts'
import { hostileRlp } from '../p2p/hostile-rlp.ts'
import { defineSubject } from '../subject.ts'

type Case =
  /** `plain` is sealed for the receiver; `wire` is sent as it is. */
  | { readonly kind: 'auth' | 'ack'; readonly form: 'plain' | 'wire'; readonly bytes: Uint8Array }
  | { readonly kind: 'hello'; readonly bytes: Uint8Array }

const key = (byte: number) => openNodeKey(new Uint8Array(32).fill(byte))
const [OWN, PEER, EPHEMERAL] = [key(1), key(2), key(3)]
const NONCE = new Uint8Array(32).fill(4)
const PADDING = new Uint8Array(120).fill(5)
const MAX_PLAIN_BYTES = 60_000

function authFields(crypto: Pick<Crypto, 'sign'>): RlpInput {
  const { r, s, yParity } = crypto.sign(xorBytes(PEER.sharedSecret(OWN.publicKey), NONCE), EPHEMERAL.privateKey)
  const signature = signatureToBytes({ r, s, yParity })
  return [signature, PEER.publicKey, NONCE, 4]
}

const hello: Arbitrary<RlpInput> = fc.tuple(
  fc.constantFrom(4, 5, 6),
  fc.constant(utf8ToBytes('client/v1')),
  fc.array(fc.tuple(fc.constantFrom(utf8ToBytes('eth'), utf8ToBytes('snap')), fc.nat(100)), { maxLength: 70 }),
  fc.nat(65_535),
  fc.constant(PEER.publicKey),
) as Arbitrary<RlpInput>

function sealed(receiver: NodeKey, plain: Uint8Array): Uint8Array {
  const size = new Uint8Array(2)
  new DataView(size.buffer).setUint16(0, plain.length + ECIES_OVERHEAD_BYTES)
  return concatBytes(size, seal(receiver.publicKey, plain, size, createSeededRandom(6)))
}

export const rlpxHandshakeSubject = defineSubject<Case>({
  name: 'rlpx-handshake',
  cases: 20_000,
  caseLimitMs: 5_000,
  async open() {
    const memory = holdMemory()
    const crypto = createNativeCrypto()
    const plain = {
      auth: concatBytes(rlpEncode(authFields(crypto)), PADDING),
      ack: concatBytes(rlpEncode([EPHEMERAL.publicKey, NONCE, 4]), PADDING),
    }
    // A handshake takes milliseconds, most of them for sealing; a wrong tag and a hello take far less.
    const of = (kind: 'auth' | 'ack') => [
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant(kind),
          form: fc.constant('plain' as const),
          bytes: brokenBytes(fc.constant(plain[kind])),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant(kind),
          form: fc.constant('wire' as const),
          bytes: brokenBytes(fc.constant(sealed(OWN, plain[kind]))),
        }),
      },
    ]
    const helloCase = fc.record({ kind: fc.constant('hello' as const), bytes: hostileRlp(hello) })
    return {
      arbitrary: fc.oneof(...of('auth'), ...of('ack'), { weight: 32, arbitrary: helloCase }),
      async check(value) {
        if (value.kind === 'hello') {
          memory.during(value.bytes.length, () => orRefused(() => decodeHello(value.bytes)))
          return
        }
        const wire = value.form === 'wire' ? value.bytes : sealed(OWN, value.bytes.subarray(0, MAX_PLAIN_BYTES))
        const parts: HandshakeParts = {
          key: OWN,
          crypto,
          random: createSeededRandom(8),
          reader: new ByteReader(
            (async function* () {
              yield wire
            })(),
          ),
          write: async () => undefined,
        }
        const done = value.kind === 'auth' ? respond(parts) : initiate(parts, PEER.publicKey)
        await done.catch((error: unknown) => {
          if (!isRefusal(error)) throw error
        })
      },
      close: async () => memory.close(),
    }
  },
})
