import { OptionsError, type OptionValues } from '@keelson/runtime'
import { p2pAddressMistakes, p2pContradictions, type p2pOptions } from './p2p-options.ts'
import { sequencerContradictions, type sequencerOptions } from './sequencer-options.ts'
import { assertSyncModeFits, type syncOptions } from './sync-options.ts'

type Values = OptionValues<typeof p2pOptions & typeof sequencerOptions & typeof syncOptions> & { readonly role: 'sequencer' | 'follower' }

/** Throws OptionsError with all mistakes, and AssemblyError `node/usage`. */
export async function assertOptionsFit(values: Values): Promise<void> {
  assertSyncModeFits(values.syncMode, values.role)
  const mistakes = [...sequencerContradictions(values), ...p2pContradictions(values), ...(await p2pAddressMistakes(values))]
  if (mistakes.length > 0) throw new OptionsError(mistakes)
}
