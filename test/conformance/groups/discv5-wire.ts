import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { decryptMessage, encryptMessage, generateIdSignatureInput } from '@chainsafe/discv5'
import {
  decodeHandshakeAuthdata,
  decodeMessageAuthdata,
  decodePacket,
  decodeWhoAreYouAuthdata,
  encodePacket,
  type IPacket,
  PacketType,
} from '@chainsafe/discv5/packet'
import { ENR } from '@chainsafe/enr'
import { bytesToBigint, bytesToHex, createPureCrypto, hexToBytes, rlpBigint, rlpBytes, rlpDecode, rlpList } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Vector {
  readonly inputs: Readonly<Record<string, string>>
  readonly packet: Uint8Array
}

const FOLDER = 'discv5-wire/'
const PING = 1

const crypto = createPureCrypto()

function readVector(text: string): Vector {
  const lines = text.split('\n')
  const inputs = lines.flatMap((line) => {
    const [, key, value] = /^# ([\w.-]+) = (\w+)$/.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [[key, value] as const]
  })
  const packet = hexToBytes(`0x${lines.filter((line) => /^[0-9a-f]+$/.test(line)).join('')}`)
  assert.ok(inputs.length > 3 && packet.length > 60, 'expected inputs in comments and a packet in hex')
  return { inputs: Object.fromEntries(inputs), packet }
}

function text({ inputs }: Vector, key: string): string {
  const value = inputs[key]
  assert.ok(value !== undefined, `the vector has no ${key}`)
  return value
}

const bytes = (vector: Vector, key: string) => hexToBytes(text(vector, key) as `0x${string}`)
const nodeId = (vector: Vector, key: string) => text(vector, key).slice(2)
const read = (vector: Vector, packet = vector.packet): IPacket => decodePacket(nodeId(vector, 'dest-node-id'), packet)

function open(vector: Vector, { header, message, messageAd }: IPacket): Uint8Array {
  return decryptMessage(bytes(vector, 'read-key'), header.nonce, message, messageAd ?? new Uint8Array(0))
}

function checkPing(vector: Vector, packet: IPacket): void {
  const plain = open(vector, packet)
  assert.equal(plain[0], PING)
  const [requestId, sequence] = rlpList(rlpDecode(new Uint8Array(plain.subarray(1))), 'ping')
  assert.equal(bytesToHex(rlpBytes(requestId, 'request id')), text(vector, 'ping.req-id'))
  assert.equal(rlpBigint(sequence, 'enr-seq'), BigInt(text(vector, 'ping.enr-seq')))
  const again = encryptMessage(bytes(vector, 'read-key'), packet.header.nonce, plain, packet.messageAd ?? new Uint8Array(0))
  assert.equal(bytesToHex(encodePacket(nodeId(vector, 'dest-node-id'), { ...packet, message: again })), bytesToHex(vector.packet))
}

function runWhoAreYou(vector: Vector): void {
  const packet = read(vector)
  assert.equal(packet.header.flag, PacketType.WhoAreYou)
  assert.equal(bytesToHex(packet.header.nonce), text(vector, 'whoareyou.request-nonce'))
  const { idNonce, enrSeq } = decodeWhoAreYouAuthdata(packet.header.authdata)
  assert.equal(bytesToHex(idNonce), text(vector, 'whoareyou.id-nonce'))
  assert.equal(enrSeq, BigInt(text(vector, 'whoareyou.enr-seq')))
  assert.equal(bytesToHex(packet.messageAd ?? new Uint8Array(0)), text(vector, 'whoareyou.challenge-data'))
  assert.equal(bytesToHex(encodePacket(nodeId(vector, 'dest-node-id'), packet)), bytesToHex(vector.packet))
}

function runMessage(vector: Vector): void {
  const packet = read(vector)
  assert.equal(packet.header.flag, PacketType.Message)
  assert.equal(decodeMessageAuthdata(packet.header.authdata).srcId, nodeId(vector, 'src-node-id'))
  assert.equal(bytesToHex(packet.header.nonce), text(vector, 'nonce'))
  checkPing(vector, packet)
}

function runHandshake(vector: Vector): void {
  const packet = read(vector)
  assert.equal(packet.header.flag, PacketType.Handshake)
  const { srcId, ephPubkey, idSignature, record } = decodeHandshakeAuthdata(packet.header.authdata)
  assert.equal(srcId, nodeId(vector, 'src-node-id'))
  assert.equal(bytesToHex(ephPubkey), text(vector, 'ephemeral-pubkey'))
  const ephemeral = createECDH('secp256k1')
  ephemeral.setPrivateKey(bytes(vector, 'ephemeral-key'))
  assert.equal(ephemeral.getPublicKey('hex', 'compressed'), nodeId(vector, 'ephemeral-pubkey'))
  checkSignature(vector, ephPubkey, idSignature)
  if (record !== undefined && record.length > 0)
    assert.equal(ENR.decode(record).nodeId, nodeId(vector, 'src-node-id'), 'the record is another node’s')
  checkPing(vector, packet)
}

function checkSignature(vector: Vector, ephPubkey: Uint8Array, signature: Uint8Array): void {
  const digest = generateIdSignatureInput(bytes(vector, 'whoareyou.challenge-data'), ephPubkey, nodeId(vector, 'dest-node-id'))
  const [r, s] = [bytesToBigint(signature.slice(0, 32)), bytesToBigint(signature.slice(32))]
  const signers = ([0, 1] as const).map((yParity) => crypto.recover(new Uint8Array(digest), { r, s, yParity }))
  const expected = text(vector, 'src-node-id').slice(-40)
  assert.ok(
    signers.some((signer) => signer !== null && bytesToHex(signer).slice(2) === expected),
    'the identity proof is not the sender’s',
  )
}

function runDamaged(vector: Vector): void {
  for (let at = 0; at < vector.packet.length; at++) {
    const damaged = vector.packet.slice()
    damaged[at] = (damaged[at] as number) ^ 0x01
    assert.throws(() => open(vector, read(vector, damaged)), `byte ${at}`)
  }
}

function casesOf(id: string, vector: Vector): ConformanceCase[] {
  const damaged = { id: `${id}/damaged`, run: () => runDamaged(vector) }
  if (vector.inputs['ephemeral-key'] !== undefined) return [{ id, run: () => runHandshake(vector) }, damaged]
  if (vector.inputs['ping.req-id'] !== undefined) return [{ id, run: () => runMessage(vector) }, damaged]
  return [{ id, run: () => runWhoAreYou(vector) }]
}

export const discv5Wire: ConformanceGroup = {
  name: 'discv5-wire',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.txt$/), (path) =>
      casesOf(path.slice(FOLDER.length).replace(/\.txt$/, ''), readVector(folder.text(path))),
    ),
}
