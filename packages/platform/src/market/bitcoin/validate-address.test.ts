import assert from 'node:assert/strict'
import { address as codec } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { validateBitcoinAddress } from './validate-address.ts'

const check = (address: string) => validateBitcoinAddress({ address })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

describe('bitcoin addresses', () => {
  for (const [address, type, networks, script] of [
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'p2pkh', ['mainnet'], '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'p2pkh', ['testnet', 'signet', 'regtest'], '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'p2sh', ['mainnet'], 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    ['2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', 'p2sh', ['testnet', 'signet', 'regtest'], 'a9144e9f39ca4688ff102128ea4ccda34105324305b087'],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'p2wpkh', ['mainnet'], '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      'p2wsh',
      ['testnet', 'signet'],
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'p2tr',
      ['mainnet'],
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    ['BC1SW50QGDZ25J', 'witness_unknown', ['mainnet'], '6002751e'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'witness_unknown', ['mainnet'], '5210751e76e8199196d454941c45d1b3a323'],
    ['bc1pfeessrawgf', 'p2a', ['mainnet'], '51024e73'],
  ] as const) {
    it(`takes ${address} for ${type} of ${networks.join(', ')}`, () => {
      const found = check(address)
      assert.deepEqual([found.valid, found.message], [true, ''])
      assert.deepEqual([found.type, found.networks, found.script_pubkey], [type, networks, script])
    })
  }

  for (const [address, reason] of [
    ['tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty', 'unknown-network'],
    ['tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut', 'unknown-network'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'wrong-encoding'],
    ['tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf', 'wrong-encoding'],
    ['BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL', 'wrong-encoding'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh', 'wrong-encoding'],
    ['tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47', 'wrong-encoding'],
    ['bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4', 'bad-characters'],
    ['BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R', 'bad-version'],
    ['bc1pw5dgrnzv', 'bad-length'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav', 'bad-length'],
    ['BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', 'bad-length'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq', 'mixed-case'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf', 'bad-length'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j', 'bad-length'],
    ['bc1gmk9yu', 'bad-length'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'bad-checksum'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'bad-checksum'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7Div0Na', 'bad-characters'],
    ['LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1', 'unknown-network'],
    ['hello', 'bad-characters'],
    ['abc', 'unknown-format'],
    ['', 'bad-characters'],
    ['1'.repeat(91), 'bad-length'],
  ] as const) {
    it(`refuses ${address.slice(0, 70)}: ${reason}`, () => {
      const found = check(address)
      assert.deepEqual([found.valid, found.reason], [false, reason], found.message)
      assert.notEqual(found.message, '')
    })
  }

  it('refuses a taproot key that is no point, since nobody could spend it', () => {
    // x = 5 is not on secp256k1
    const program = new Uint8Array(32)
    program[31] = 5
    assert.equal(check(codec.toBech32(program, 1, 'bc')).reason, 'not-on-curve')
  })

  it('refuses an address of another network when one is asked for', () => {
    const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
    assert.equal(validateBitcoinAddress({ address, network: 'signet' }).valid, true)
    assert.equal(validateBitcoinAddress({ address, network: 'mainnet' }).reason, 'other-network')
  })

  it('gives back every program that was written as an address, and its script', () => {
    fc.assert(
      fc.property(bytes(20), bytes(32), fc.constantFrom('bc', 'tb', 'bcrt'), (short, long, prefix) => {
        for (const program of [short, long]) {
          const found = check(codec.toBech32(program, 0, prefix))
          assert.deepEqual([found.valid, found.type], [true, program.length === 20 ? 'p2wpkh' : 'p2wsh'])
          assert.deepEqual([found.program, found.script_pubkey], [hex(program), `00${program.length === 20 ? '14' : '20'}${hex(program)}`])
        }
        const legacy = check(codec.toBase58Check(short, prefix === 'bc' ? 5 : 0xc4))
        assert.deepEqual([legacy.type, legacy.program], ['p2sh', hex(short)])
      }),
    )
  })

  it('never takes an address with one character changed', () => {
    const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
    fc.assert(
      fc.property(bytes(20), fc.nat(37), fc.nat(31), (program, place, letter) => {
        const address = codec.toBech32(program, 0, 'bc')
        const changed = `${address.slice(0, 4 + place)}${alphabet[letter]}${address.slice(5 + place)}`
        if (changed !== address) assert.equal(check(changed).valid, false, changed)
      }),
    )
  })

  it('answers any text without failing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120 }), (text) => {
        const { valid, reason, message } = check(text)
        assert.equal(valid, reason === null)
        assert.equal(valid, message === '')
      }),
    )
  })
})
