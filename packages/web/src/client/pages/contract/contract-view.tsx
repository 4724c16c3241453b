import { createAbiDocument, declarationsOf } from '../../../shared/abi-document.ts'
import type { ProxiedInterface } from '../../data/contract-abis.ts'
import { useIndex } from '../../data/use-index.ts'
import type { ContractDocument } from '../../data/verification.ts'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { FunctionsCard } from './functions-card.tsx'
import { SourceTabs } from './source-tabs.tsx'
import { UploadForm } from './upload-form.tsx'
import { VerifiedFacts } from './verified-facts.tsx'
import { WithoutSource } from './without-source.tsx'
import '../transaction/transaction.css'
import './contract.css'

/** Source, ABI and functions of a contract, or the form to upload them. */
export function ContractView({ address }: { readonly address: string }) {
  const document = useIndex<ContractDocument>(`/contracts/${address}`)
  const target = document.data?.implementation ?? null
  const behind = useIndex<ProxiedInterface>(target === null ? null : `/contracts/${target}/abi`).data
  if (document.data === null)
    return (
      <>
        <Notice error={document.error} what="the contract" />
        {document.error !== null && <WithoutSource address={address} isVerifiable={false} />}
      </>
    )
  const { verified, project, constructorArguments } = document.data
  const abi = verified?.abi ?? project?.abi ?? null
  return (
    <>
      {target !== null && (
        <section className="card">
          <h2>Proxy</h2>
          <p className="hint">
            Calls run the code of <AddressLink address={target} full />
            {behind?.abi == null ? ', whose source nobody verified.' : `, which is ${behind.contract}.`}
          </p>
        </section>
      )}
      {verified !== null ? (
        <>
          <VerifiedFacts verified={verified} constructorArguments={constructorArguments} />
          <SourceTabs sources={verified.sources} first={verified.file} />
        </>
      ) : project !== null ? (
        <>
          <section className="card">
            <h2>
              {project.name} <span className="badge is-good">comes with this network</span>
            </h2>
            <p className="hint">The code at the address is that of {project.origin}. Nothing has to be uploaded.</p>
          </section>
          {project.file !== null && <SourceTabs sources={project.sources} first={project.file} />}
        </>
      ) : (
        <>
          <UploadForm contract={document.data} onVerified={document.refresh} />
          <WithoutSource address={address} isVerifiable />
        </>
      )}
      {abi !== null && <FunctionsCard address={address} title="Functions" abi={abi} errors={documentOf(abi)} />}
      {behind?.abi != null && (
        <FunctionsCard
          address={address}
          title="Functions of the implementation"
          abi={behind.abi}
          errors={documentOf([...(abi ?? []), ...behind.abi])}
        />
      )}
      {abi !== null && (
        <section className="card">
          <details className="raw">
            <summary>ABI as JSON</summary>
            <pre className="source">{JSON.stringify(abi, null, 2)}</pre>
          </details>
        </section>
      )}
    </>
  )
}

function documentOf(abi: Parameters<typeof declarationsOf>[0]) {
  return createAbiDocument(declarationsOf(abi))
}
