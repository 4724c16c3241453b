/** Machines of the sequencers, which are also their names in the store. */
export function sequencerNames(count = 1): readonly string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 'sequencer' : `sequencer-${i + 1}`))
}
