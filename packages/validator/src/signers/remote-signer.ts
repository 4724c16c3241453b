/** The service receives all fields; its response is accepted only if it is that key's signature of exactly this request. */
import { decodeStakingSignature, encodeStakingSignature } from '@keelson/contracts'
import { type Address, type Clock, type Crypto, hexToBytes, isHex, messageOf, toAddress } from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'
import { type BareSigner, type SigningRequest, signingRequestDigest } from '../signer.ts'
import { toTypedData } from './typed-data.ts'

export interface RemoteValidatorSignerOptions {
  readonly address: Address
  readonly host: string
  readonly timeoutMs: number
  /** Web3Signer and MetaMask expect JSON text, development nodes an object. */
  readonly form?: 'text' | 'object'
  /** Default `eth_signTypedData`; wallets have `eth_signTypedData_v4`. */
  readonly method?: string
}

export interface RemoteValidatorSignerDependencies {
  readonly call: (method: string, params: readonly unknown[], options: { readonly signal: AbortSignal }) => Promise<unknown>
  readonly crypto: Crypto
  readonly clock: Pick<Clock, 'sleep'>
}

const SIGNATURE_BYTES = 65

/** Throws ValidatorError `consensus/remote-signer`. Responses are never cached. */
export function createRemoteValidatorSigner(
  { address, host, timeoutMs, form = 'text', method = 'eth_signTypedData' }: RemoteValidatorSignerOptions,
  { call, crypto, clock }: RemoteValidatorSignerDependencies,
): BareSigner {
  function failure(what: string, cause?: unknown): ValidatorError {
    return new ValidatorError(
      'consensus/remote-signer',
      'temporary',
      `the validator signer at ${host} ${what}`,
      { host, key: address },
      { cause },
    )
  }

  async function ask(request: SigningRequest): Promise<unknown> {
    const typedData = toTypedData(request)
    const over = new AbortController()
    const late = clock.sleep(timeoutMs, over.signal).then(
      () => {
        throw failure(`has not answered for ${timeoutMs} ms; check that it runs and can reach its keys`)
      },
      () => new Promise<never>(() => undefined),
    )
    const answered = call(method, [address, form === 'text' ? JSON.stringify(typedData) : typedData], { signal: over.signal }).catch(
      (cause: unknown) => {
        throw failure(`does not sign with ${address}: ${messageOf(cause)}; check that it has this key and allows this client`, cause)
      },
    )
    try {
      return await Promise.race([answered, late])
    } finally {
      answered.catch(() => undefined)
      over.abort()
    }
  }

  return {
    address,
    async signUnguarded(request) {
      const answer = await ask(request)
      const signature = isHex(answer, SIGNATURE_BYTES) ? decodeStakingSignature(hexToBytes(answer)) : null
      if (signature === null) throw failure(`answered something that is no signature of ${SIGNATURE_BYTES} bytes`)
      const signer = crypto.recover(signingRequestDigest(request), signature)
      const actual = signer === null ? null : toAddress(signer)
      if (actual !== address) {
        throw failure(
          `gave the signature of ${actual ?? 'nobody'} for this, expected ${address}; it uses another key or signs something else`,
        )
      }
      return encodeStakingSignature(signature)
    },
  }
}
