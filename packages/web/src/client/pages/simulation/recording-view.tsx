import { useCallback, useMemo } from 'react'
import type { Frame, Recording } from '../../../shared/recording/index.ts'
import { counted } from '../../format/amounts.ts'
import { Card } from '../../parts/card.tsx'
import { ChainLanes } from './chain-lanes.tsx'
import { Controls } from './controls.tsx'
import { NetworkPicture } from './network-picture.tsx'
import { faultsAt } from './playback.ts'
import { Story, tellStory } from './story.tsx'
import { Timeline } from './timeline.tsx'
import { usePlayer } from './use-player.ts'
import { usePlayerKeys } from './use-player-keys.ts'

/** A recording that plays. */
export function RecordingView({ recording, playsAtOnce }: { readonly recording: Recording; readonly playsAtOnce: boolean }) {
  const { header, machines, frames, faults, violations } = recording
  const player = usePlayer(frames, playsAtOnce)
  const { index, jump } = player
  const frame = frames[index] as Frame
  const story = useMemo(() => tellStory(faults, violations), [faults, violations])
  const jumpToFault = useCallback(
    (direction: 1 | -1) => {
      // A fault is seen in the first frame after it began.
      const isBefore = (atMs: number) => atMs <= frame.atMs - header.everyMs
      const found = direction === 1 ? story.find(({ atMs }) => atMs > frame.atMs) : story.findLast(({ atMs }) => isBefore(atMs))
      if (found !== undefined) jump(found.atMs)
    },
    [story, frame, header, jump],
  )
  usePlayerKeys(player, jumpToFault)
  const broken = violations.filter(({ atMs }) => atMs <= frame.atMs)
  return (
    <>
      <section className="card" aria-label="Playing">
        <Controls player={player} jumpToFault={jumpToFault} />
        <Timeline recording={recording} index={index} show={(wanted) => player.step(wanted - index)} />
      </section>
      {broken.length > 0 && (
        <p className="card health is-bad bad-text">
          <strong>
            {broken.length} {broken.length === 1 ? 'violation' : 'violations'}
          </strong>
          , the newest: {broken.at(-1)?.rule}: {broken.at(-1)?.text}
        </p>
      )}
      <div className="sim-columns">
        <Card title="The network" aside={<span className="muted">{linkWords(frame)}</span>}>
          <NetworkPicture machines={machines} frame={frame} faults={faultsAt(faults, frame.atMs, header.everyMs)} />
        </Card>
        <Card title="What happens" aside={<span className="muted">{story.length} entries</span>}>
          <Story entries={story} atMs={frame.atMs} jump={jump} />
        </Card>
      </div>
      <Card title="The chains" aside={<span className="muted number">{counterWords(frame)}</span>}>
        <ChainLanes machines={machines} frame={frame} />
      </Card>
    </>
  )
}

function linkWords({ badLinks, cuts }: Frame): string {
  const cut = cuts.length === 0 ? 'no link is cut' : `${cuts.length} directions cut`
  return badLinks === null ? cut : `${cut}; links lose ${badLinks.lossPercent} % and delay up to ${badLinks.jitterMs} ms`
}

function counterWords({ counters: { transactions, batches, proposals } }: Frame): string {
  return `${counted(transactions, 'transaction')} accepted, ${counted(batches, 'batch', 'batches')} and ${counted(proposals, 'proposal')} on L1`
}
