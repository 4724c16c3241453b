/** Loads the binding directly, because the package silently falls back to JavaScript, 50 times slower. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { bigintToBytes, bytesToBigint, type Crypto, concatBytes, publicKeyToAddress } from '@keelson/primitives'
import type Secp256k1 from 'secp256k1'
import { AssemblyError } from '../errors.ts'

type Binding = typeof Secp256k1

function loadBinding(): Binding {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings') as Binding
  } catch (cause) {
    throw new AssemblyError(
      'node/native-module',
      `the native secp256k1 module did not load on ${process.platform}-${process.arch} (Node ${process.versions.node}): ` +
        `run "npm ci" again on this machine, or start with --slow-crypto to use JavaScript, about 50 times slower`,
      { platform: process.platform, arch: process.arch },
      { cause },
    )
  }
}

/** Throws AssemblyError `node/native-module`. */
export function createNativeCrypto(): Crypto {
  const secp256k1 = loadBinding()
  const recoverKey: Crypto['recoverKey'] = (digest, signature) => {
    const bytes = concatBytes(bigintToBytes(signature.r, 32), bigintToBytes(signature.s, 32))
    try {
      return secp256k1.ecdsaRecover(bytes, signature.yParity, digest, false)
    } catch {
      // The binding throws for r or s out of range and for points off the curve.
      return null
    }
  }
  return {
    name: 'native secp256k1',
    recover(digest, signature) {
      const key = recoverKey(digest, signature)
      return key === null ? null : publicKeyToAddress(key)
    },
    recoverKey,
    sign(digest, privateKey) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, privateKey)
      return {
        yParity: recid as 0 | 1,
        r: bytesToBigint(signature.subarray(0, 32)),
        s: bytesToBigint(signature.subarray(32)),
      }
    },
    addressOf: (privateKey) => publicKeyToAddress(secp256k1.publicKeyCreate(privateKey, false)),
    sha256: (data) => new Uint8Array(createHash('sha256').update(data).digest()),
  }
}
