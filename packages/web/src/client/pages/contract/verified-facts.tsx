import { declarationOf } from '../../../shared/abi-document.ts'
import { decodeArguments } from '../../data/abi/decode.ts'
import type { VerifiedContract } from '../../data/verification.ts'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'

export interface VerifiedFactsProps {
  readonly verified: VerifiedContract
  readonly constructorArguments: string | null
}

/** What each kind of match proves, for people who did not write the contract. */
const MATCHES = {
  exact: {
    title: 'Verified',
    words: 'exact match',
    badge: 'is-good',
    hint: 'Compiling this source gives the code at the address and the code that created it, with the hash of every source file and setting.',
  },
  runtime: {
    title: 'Partly verified',
    words: 'runtime only: beginning not proven',
    badge: 'is-unsafe',
    hint:
      'Compiling this source gives the code at the address, but it is not known that this source created the contract. Other code may have ' +
      'set balances, owners or any other stored value before the first block of its life: do not rely on the constructor shown here.',
  },
  partial: {
    title: 'Partly verified',
    words: 'partial match: names are claims',
    badge: 'is-unsafe',
    hint:
      'Compiling this source gives the code at the address, except the hash of its sources. Anyone may have uploaded it: the names of the ' +
      'contract, its variables and parameters, and all comments are claims of the uploader.',
  },
} as const

export function VerifiedFacts({ verified, constructorArguments }: VerifiedFactsProps) {
  const { match, file, contract, compilerVersion, settings, libraries } = verified
  const linked = Object.entries(libraries)
  const { title, words, badge, hint } = MATCHES[match]
  return (
    <section className="card">
      <h2>
        {title} <span className={`badge ${badge}`}>{words}</span>
      </h2>
      <p className="hint">{hint}</p>
      <Facts>
        <Fact name={match === 'partial' ? 'Name that the uploader claims' : 'Contract'}>
          {contract} <span className="muted">in {file}</span>
        </Fact>
        <Fact name="Compiler">solc {compilerVersion}</Fact>
        <Fact name="Settings">
          <code className="text-value">{JSON.stringify(settings)}</code>
        </Fact>
        {linked.length > 0 && (
          <Fact name="Libraries">
            {linked.map(([name, address]) => (
              <p key={name}>
                {name} at <AddressLink address={address} />
              </p>
            ))}
          </Fact>
        )}
        <Fact name="Constructor arguments" hint="From the transaction that created the contract.">
          <Arguments verified={verified} hex={constructorArguments} />
        </Fact>
      </Facts>
    </section>
  )
}

function Arguments({ verified, hex }: { readonly verified: VerifiedContract; readonly hex: string | null }) {
  if (hex === null) return <span className="muted">not known: no indexed transaction created the contract with this code</span>
  if (hex === '0x') return <span className="muted">none</span>
  const inputs = verified.abi.find(({ type }) => type === 'constructor')?.inputs ?? []
  const decoded = decodeArguments(declarationOf({ name: 'constructor', inputs }), hex)
  return decoded === null ? <DataBlock hex={hex} /> : <DecodedParts decoded={decoded} />
}
