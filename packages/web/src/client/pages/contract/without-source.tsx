import { TryIt } from '../../parts/command/try-it.tsx'
import { unknownCallCommand, verifyCommand } from './contract-commands.ts'
import { useContractPlace } from './use-contract-place.ts'

/** What can be done with a contract whose source nobody has shown. */
export function WithoutSource({ address, isVerifiable }: { readonly address: string; readonly isVerifiable: boolean }) {
  const place = useContractPlace(address)
  return (
    <section className="card">
      <h2>From a terminal</h2>
      {isVerifiable && (
        <TryIt command={verifyCommand(place, location.origin)}>Forge verifies the source as the form above does, in its project:</TryIt>
      )}
      <TryIt command={unknownCallCommand(place)}>A function whose name and types you know can be called without a source:</TryIt>
    </section>
  )
}
