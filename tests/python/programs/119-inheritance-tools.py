# about: A small class hierarchy of sources; each knows how to load itself; the base class formats.
# features: inheritance, super().__init__, overriding, class attribute, __str__, polymorphic loop, isinstance
# latency: fetch=3 workspace.read_text=2 lookup=1
# ideal_units: 3
# ideal_why: all arguments are literals
# v1_units: 11
# v1_why: methods are opaque
class Source:
    kind = "source"

    def __init__(self, name):
        self.name = name
        self.text = None

    def load(self):
        raise NotImplementedError

    def __str__(self):
        head = self.text if self.text is None else self.text.splitlines()[0][:40]
        return f"{self.kind}:{self.name}: {head}"


class Web(Source):
    kind = "web"

    def __init__(self, name, site="https://docs.example.dev"):
        super().__init__(name)
        self.url = f"{site}/{name}"

    def load(self):
        self.text = fetch(self.url)
        return self


class File(Source):
    kind = "file"

    def load(self):
        self.text = workspace.read_text(self.name)
        return self


class Setting(File):
    kind = "setting"

    def load(self):
        self.text = str(lookup("config", self.name))
        return self


sources = [Web("redis"), File("CHANGELOG.md"), Setting("region"), Web("tea", site="https://wiki.example.org"), File("LICENSE")]
for s in sources:
    s.load()
print(*sources, sep="\n")
print(sum(isinstance(s, File) for s in sources), "of", len(sources))
