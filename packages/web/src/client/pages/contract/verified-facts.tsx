import { declarationOf } from '../../../shared/abi-document.ts'
import { decodeArguments } from '../../data/decode.ts'
import type { VerifiedContract } from '../../data/verification.ts'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink } from '../../parts/hash.tsx'

export interface VerifiedFactsProps {
  readonly verified: VerifiedContract
  readonly constructorArguments: string | null
}

export function VerifiedFacts({ verified, constructorArguments }: VerifiedFactsProps) {
  const { match, file, contract, compilerVersion, settings, libraries } = verified
  const linked = Object.entries(libraries)
  return (
    <section className="card">
      <h2>
        Verified <span className={`badge ${match === 'exact' ? 'is-good' : 'is-unsafe'}`}>{match} match</span>
      </h2>
      <p className="hint">
        {match === 'exact'
          ? 'Compiling this source gives the code at the address, with the hash of every source file and setting.'
          : 'Compiling this source gives the code at the address. Names of variables and comments are not proven.'}
      </p>
      <Facts>
        <Fact name="Contract">
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
