/** devp2p rlpx.md#initial-handshake, with the messages of EIP-8 */
import {
  bigintToBytes,
  bytesToBigint,
  type Crypto,
  concatBytes,
  keccak256,
  type Random,
  type RlpInput,
  type RlpItem,
  rlpBytes,
  rlpDecodeFirst,
  rlpEncode,
  rlpList,
} from '@keelson/primitives'
import { P2pError } from '../p2p-error.ts'
import type { ByteReader } from './byte-reader.ts'
import { ECIES_OVERHEAD_BYTES, open, seal, sharedSecret } from './ecies.ts'
import { FrameMac, xorBytes } from './frame-mac.ts'
import { type NodeKey, openNodeKey } from './node-key.ts'

const VERSION = 4
const MAX_HANDSHAKE_BYTES = 2_048
const SIGNATURE_BYTES = 65
const ID_BYTES = 64
const NONCE_BYTES = 32
/** EIP-8: padding of at least 100 bytes distinguishes the message from older ones. */
const MIN_PADDING_BYTES = 100

export interface FrameSecrets {
  readonly aes: Uint8Array
  readonly egress: FrameMac
  readonly ingress: FrameMac
}

export interface Handshake extends FrameSecrets {
  readonly remoteId: Uint8Array
}

export interface HandshakeParts {
  readonly key: NodeKey
  readonly crypto: Pick<Crypto, 'sign' | 'recoverKey'>
  readonly random: Random
  readonly reader: ByteReader
  write(packet: Uint8Array): Promise<void>
}

/** Throws P2pError `p2p/handshake`. */
export async function initiate(parts: HandshakeParts, remoteId: Uint8Array): Promise<Handshake> {
  const { key, crypto, random } = parts
  const ephemeral = openNodeKey(random.bytes(32))
  const nonce = random.bytes(NONCE_BYTES)
  const { r, s, yParity } = crypto.sign(xorBytes(sharedSecret(key, remoteId), nonce), ephemeral.privateKey)
  const signature = concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(yParity))
  const auth = packetFor(remoteId, [signature, key.publicKey, nonce, VERSION], random)
  await parts.write(auth)
  const ack = await readPacket(parts)
  const remoteEphemeral = rlpBytes(ack.fields[0], 'ephemeral key', ID_BYTES)
  const remoteNonce = rlpBytes(ack.fields[1], 'nonce', NONCE_BYTES)
  const secret = sharedSecret(ephemeral, remoteEphemeral)
  return { remoteId, ...deriveSecrets(secret, { nonce: remoteNonce, sent: ack.packet }, { nonce, sent: auth }, 'initiator') }
}

/** Throws P2pError `p2p/handshake`. */
export async function respond(parts: HandshakeParts): Promise<Handshake> {
  const { key, crypto, random } = parts
  const auth = await readPacket(parts)
  const signature = rlpBytes(auth.fields[0], 'signature', SIGNATURE_BYTES)
  const remoteId = rlpBytes(auth.fields[1], 'public key', ID_BYTES)
  const remoteNonce = rlpBytes(auth.fields[2], 'nonce', NONCE_BYTES)
  const signed = xorBytes(sharedSecret(key, remoteId), remoteNonce)
  const yParity = signature[64] as number
  const recovered =
    yParity > 1
      ? null
      : crypto.recoverKey(signed, {
          r: bytesToBigint(signature.subarray(0, 32)),
          s: bytesToBigint(signature.subarray(32, 64)),
          yParity: yParity as 0 | 1,
        })
  if (recovered === null) throw new P2pError('p2p/handshake', 'auth message with an invalid signature')
  const ephemeral = openNodeKey(random.bytes(32))
  const nonce = random.bytes(NONCE_BYTES)
  const ack = packetFor(remoteId, [ephemeral.publicKey, nonce, VERSION], random)
  await parts.write(ack)
  const secret = sharedSecret(ephemeral, recovered.subarray(1))
  return { remoteId, ...deriveSecrets(secret, { nonce, sent: ack }, { nonce: remoteNonce, sent: auth.packet }, 'responder') }
}

function packetFor(receiver: Uint8Array, fields: readonly RlpInput[], random: Random): Uint8Array {
  const padding = random.bytes(MIN_PADDING_BYTES + Math.floor(random.next() * MIN_PADDING_BYTES))
  const plain = concatBytes(rlpEncode(fields), padding)
  const size = new Uint8Array(2)
  new DataView(size.buffer).setUint16(0, plain.length + ECIES_OVERHEAD_BYTES)
  return concatBytes(size, seal(receiver, plain, size, random))
}

/** Ignores further list items and the padding, as EIP-8 wants. */
async function readPacket({ reader, key }: HandshakeParts): Promise<{ readonly packet: Uint8Array; readonly fields: readonly RlpItem[] }> {
  const size = await reader.read(2)
  const length = new DataView(size.buffer, size.byteOffset).getUint16(0)
  if (length > MAX_HANDSHAKE_BYTES || length < ECIES_OVERHEAD_BYTES)
    throw new P2pError('p2p/handshake', `handshake message of ${length} bytes; expected ${ECIES_OVERHEAD_BYTES} to ${MAX_HANDSHAKE_BYTES}`)
  const box = await reader.read(length)
  const fields = rlpList(rlpDecodeFirst(open(key, box, size)).item, 'handshake message')
  return { packet: concatBytes(size, box), fields }
}

interface Side {
  readonly nonce: Uint8Array
  readonly sent: Uint8Array
}

function deriveSecrets(secret: Uint8Array, responder: Side, initiator: Side, role: 'initiator' | 'responder'): FrameSecrets {
  const shared = keccak256(concatBytes(secret, keccak256(concatBytes(responder.nonce, initiator.nonce))))
  const aes = keccak256(concatBytes(secret, shared))
  const mac = keccak256(concatBytes(secret, aes))
  const fromInitiator = new FrameMac(mac, [xorBytes(mac, responder.nonce), initiator.sent])
  const fromResponder = new FrameMac(mac, [xorBytes(mac, initiator.nonce), responder.sent])
  return role === 'initiator'
    ? { aes, egress: fromInitiator, ingress: fromResponder }
    : { aes, egress: fromResponder, ingress: fromInitiator }
}
