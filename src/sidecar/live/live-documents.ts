import type { DocumentArtifact, View } from '../../../pipeline/artifacts/artifact.ts';
import { LIVE_ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { LiveFile } from './live-file.ts';
import { publicFault } from './public-fault.ts';

interface Rendered {
  /** Of the view that was last tried. */
  version: number;
  /** The newest that could be made. */
  file: LiveFile | null;
  /** Why that is not the version's; as it was reported. */
  fault: unknown;
}

/** The real-time files of a view, each rendered when it is asked for and not again until there is another view. */
export class LiveDocuments {
  readonly #artifacts: ReadonlyMap<string, DocumentArtifact>;
  readonly #rendered = new Map<string, Rendered>();
  readonly #report: (error: unknown) => void;
  #view: View | null = null;
  #version = 0;

  /** `report` gets what a file could not be made for; the one made before stays. */
  constructor(report: (error: unknown) => void, artifacts: readonly DocumentArtifact[] = LIVE_ARTIFACTS) {
    this.#artifacts = new Map(artifacts.map((artifact) => [artifact.path, artifact]));
    this.#report = report;
  }

  /** A state that was shown before and has changed counts as another view. */
  show(view: View): void {
    this.#view = view;
    this.#version += 1;
  }

  /** Null for a path that is not among them, and before there is a view. */
  file(path: string): LiveFile | null {
    const artifact = this.#artifacts.get(path);
    const view = this.#view;
    if (!artifact || !view) return null;
    const before = this.#rendered.get(path);
    if (before?.version === this.#version) return before.file;
    const rendered = { version: this.#version, ...this.#render(artifact, view, before) };
    this.#rendered.set(path, rendered);
    return rendered.file;
  }

  /** What keeps a file from being as new as the others; null for nothing. */
  get fault(): string | null {
    for (const { fault } of this.#rendered.values()) if (fault !== null) return publicFault(fault);
    return null;
  }

  #render(artifact: DocumentArtifact, view: View, before: Rendered | undefined): Omit<Rendered, 'version'> {
    try {
      const text = artifact.render(view);
      // The same text keeps what was made of it.
      const file = before?.file?.text === text ? before.file : null;
      return { file: file ?? new LiveFile(artifact, text, view.state.asOf), fault: null };
    } catch (error) {
      if (String(before?.fault) !== String(error)) this.#report(error);
      return { file: before?.file ?? null, fault: error };
    }
  }
}
