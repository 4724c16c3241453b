import { rpc } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatCount, formatGasPrice, formatPercent } from '../../format/amounts.ts'
import { Notice } from '../../parts/notice.tsx'

interface FeeHistory {
  readonly oldestBlock: string
  readonly baseFeePerGas: readonly string[]
  readonly gasUsedRatio: readonly number[]
  readonly reward?: readonly (readonly string[])[]
}

const BLOCKS = 120
const PERCENTILES = [10, 50, 90]
const REFRESH_MS = 4_000
const [WIDTH, HEIGHT] = [600, 160]

export function GasChart() {
  const params = [`0x${BLOCKS.toString(16)}`, 'latest', PERCENTILES]
  const { data, error } = useQuery('fee history', () => rpc<FeeHistory>('eth_feeHistory', params), REFRESH_MS)
  if (data === null) return <Notice error={error} what="the gas prices" />
  const fees = data.baseFeePerGas.slice(0, data.gasUsedRatio.length).map(Number)
  const first = Number(data.oldestBlock)
  const last = first + fees.length - 1
  const bars = data.gasUsedRatio.map((ratio, i) => ({ number: first + i, ratio, fee: fees[i] ?? 0 }))
  const fullest = Math.max(0.001, ...data.gasUsedRatio)
  const top = Math.max(1, ...fees) * 1.1
  const x = (i: number) => (WIDTH * (i + 0.5)) / Math.max(1, fees.length)
  const line = fees.map((fee, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${(HEIGHT * (1 - fee / top)).toFixed(1)}`).join('')
  const tips = data.reward?.filter((tips) => tips.some((tip) => Number(tip) > 0)).at(-1) ?? []
  const next = data.baseFeePerGas.at(-1) ?? '0x0'
  const average = data.gasUsedRatio.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, data.gasUsedRatio.length)
  return (
    <>
      <dl className="gas-figures">
        <GasFigure name="Base fee of the next block" value={formatGasPrice(BigInt(next))} />
        <GasFigure name="Lowest base fee shown" value={formatGasPrice(BigInt(Math.min(...fees)))} />
        <GasFigure name="Highest base fee shown" value={formatGasPrice(BigInt(Math.max(...fees)))} />
        <GasFigure name="Blocks are full to" value={formatPercent(average)} />
        {PERCENTILES.map((percentile, i) => (
          <GasFigure
            key={percentile}
            name={`Tip, ${percentile}th percentile`}
            value={tips[i] === undefined ? 'none' : formatGasPrice(BigInt(tips[i]))}
          />
        ))}
      </dl>
      <figure className="gas-chart">
        <figcaption>
          <span className="gas-key is-line">base fee, left scale</span>{' '}
          <span className="gas-key is-bar">how full a block is, right scale</span>
        </figcaption>
        <div className="gas-plot">
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`Base fee of blocks ${first} to ${last}`}
          >
            {bars.map(({ number, ratio, fee }, i) => (
              <rect
                key={number}
                className="gas-bar"
                x={x(i) - WIDTH / fees.length / 2 + 0.5}
                width={Math.max(0.5, WIDTH / fees.length - 1)}
                y={HEIGHT * (1 - ratio / fullest)}
                height={(HEIGHT * ratio) / fullest}
              >
                <title>{`Block ${number}: ${formatGasPrice(BigInt(fee))}, ${formatPercent(ratio)} full`}</title>
              </rect>
            ))}
            <path className="gas-line" d={line} />
          </svg>
          <div className="gas-scale" aria-hidden="true">
            <span>{formatPercent(fullest)} full</span>
            <span>0%</span>
          </div>
          <div className="gas-scale is-left" aria-hidden="true">
            <span>{formatGasPrice(BigInt(Math.round(top)))}</span>
            <span>base fee 0</span>
          </div>
        </div>
        <div className="gas-blocks" aria-hidden="true">
          {[first, Math.round((first + last) / 2), last].map((number) => (
            <span key={number}>block {formatCount(number)}</span>
          ))}
        </div>
      </figure>
    </>
  )
}

function GasFigure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  )
}
