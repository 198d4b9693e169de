import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

const sources = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.(tsx?|mjs|css|html|graphql)$/.test(name) && !name.includes('generated/'),
);

function textOf(name: string): string {
  return readFileSync(join(packageRoot, 'src', name), 'utf8');
}

describe('the sources', () => {
  it('name the maker’s brand only where its protocol is spoken', () => {
    // The simulator answers in the protocol, whose words hold the brand.
    const elsewhere = sources.filter((name) => !/^(maker|simulator)\//.test(name));
    expect(elsewhere.filter((name) => /tesla/i.test(textOf(name)))).toEqual([]);
  });

  it('are files of at most 250 lines, half of them under 80', () => {
    const isTable = (name: string) =>
      /^contract\/|^(base\/settings|transports\/rest\/routes|maker\/wire|simulator\/roads)\.ts$/.test(
        name,
      );
    const lengths = sources
      .filter((name) => /\.(tsx?|mjs)$/.test(name) && !isTable(name))
      .map((name) => ({ name, lines: textOf(name).split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > 250)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(80);
  });

  it('hold no drawer without a name of its own', () => {
    const drawer = /(^|\/)(utils?|helpers?|common|managers?|services?)(\/|\.\w+$)/;
    expect(sources.filter((name) => drawer.test(name))).toEqual([]);
  });
});
