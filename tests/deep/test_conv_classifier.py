"""ConvLDNNClassifier: arrays, folders, ensembles, files."""

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ldnn
from ldnn._io.tensors import read_tensors, write_tensors
from ldnn.deep import (
    CONFIGURATIONS,
    Block,
    Configuration,
    ConvLDNN,
    ConvLDNNClassifier,
    Convolution,
    Local,
    MaxPool,
    Whitening,
    configuration_for,
)
from ldnn.deep.training_options import LOSSES

SMALL = Configuration((Convolution(4, 3), MaxPool(2, 2)), 2, 2)


@pytest.fixture(scope="module")
def corners():
    """uint8 images with a bright corner, and its name."""
    random = np.random.default_rng(0)
    names = np.array(["left", "middle", "right"])[np.arange(60) % 3]
    images = random.integers(100, size=(60, 12, 12), dtype=np.uint8)
    for name, start in (("left", 0), ("middle", 4), ("right", 8)):
        images[names == name, :, start : start + 4] += 150
    return images, names


@pytest.fixture(scope="module")
def model(corners):
    return ConvLDNNClassifier(SMALL, max_epochs=15, n_estimators=2, learning_rate=0.1, random_state=0).fit(*corners)


def write_folder(folder, images, names, mode="L"):
    for number, (image, name) in enumerate(zip(images, names, strict=True)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).convert(mode).save(folder / name / f"{number:02}.png")


def test_arrays(model, corners):
    images, names = corners
    assert model.score(images, names) > 0.95
    assert list(model.classes_) == ["left", "middle", "right"]
    probabilities = model.predict_proba(images)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.predict(images) == model.classes_[probabilities.argmax(axis=1)]).all()
    np.testing.assert_allclose(model.predict_proba(images[..., None] / 255.0), probabilities, atol=1e-5)


def test_probabilities_are_averaged_over_the_networks(model, corners):
    images, _ = corners
    assert not torch.equal(model.networks_[0].head.weight, model.networks_[1].head.weight)
    members = []
    for network in model.networks_:
        alone = clone(model)
        alone.__dict__.update({**model.__dict__, "networks_": [network]})
        members.append(alone.predict_proba(images))
    np.testing.assert_allclose(model.predict_proba(images), np.mean(members, axis=0))


@pytest.mark.parametrize("labels", [[True, False], [3, 7], ["no", "yes"], [3.0, 7.0]])
def test_two_classes_of_any_kind(corners, labels, tmp_path):
    images, names = corners
    y = np.where(names == "left", labels[0], labels[1])
    model = ConvLDNNClassifier(SMALL, max_epochs=10, learning_rate=0.1, random_state=0).fit(images, y)
    assert model.networks_[0].n_classes == 1
    assert model.score(images, y) > 0.9
    ldnn.save(model, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert (loaded.predict(images) == model.predict(images)).all()


def test_same_seed_same_model(corners):
    images, names = corners
    first, second, third = (
        ConvLDNNClassifier(SMALL, max_epochs=1, random_state=seed).fit(images, names).predict_proba(images)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != third).any()


def test_the_global_random_state_is_left_alone(corners):
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    ConvLDNNClassifier(SMALL, max_epochs=1, random_state=0).fit(*corners)
    assert torch.equal(torch.rand(1), expected)


def test_folders(tmp_path, corners):
    images, names = corners
    write_folder(tmp_path, images, names, mode="RGB")
    model = ConvLDNNClassifier(SMALL, max_epochs=10, learning_rate=0.1, random_state=0, grey=True).fit(tmp_path)
    assert model.preparation_.image_shape == (1, 12, 12)
    assert model.score(str(tmp_path)) > 0.95
    assert model.predict(tmp_path / "left").shape == (20,)
    colour = ConvLDNNClassifier(SMALL, max_epochs=1, random_state=0).fit(tmp_path)
    assert colour.preparation_.image_shape == (3, 12, 12)


def test_images_of_different_sizes_are_rescaled(tmp_path, corners):
    images, names = corners
    write_folder(tmp_path, images[:6], names[:6])
    Image.new("L", (200, 150)).save(tmp_path / "left" / "large.png")
    model = ConvLDNNClassifier(max_epochs=1, effort=0.01, random_state=0).fit(tmp_path)
    assert model.preparation_.image_shape == (1, 64, 64)
    assert model.predict_proba(np.zeros((2, 30, 40), np.uint8)).shape == (2, 3)
    model = ConvLDNNClassifier(SMALL, max_epochs=1, image_size=(10, 16), random_state=0).fit(images, names)
    assert model.preparation_.image_shape == (1, 10, 16)
    assert model.predict(images).shape == (60,)


def test_training_uses_the_views_that_the_parameters_describe(corners):
    def weights(**options):
        model = ConvLDNNClassifier(SMALL, max_epochs=2, crop=10, random_state=0, **options).fit(*corners)
        assert model.networks_[0].image_shape == (1, 10, 10)
        assert model.predict(corners[0]).shape == (60,)
        return model.networks_[0].head.weight

    plain = weights()
    assert torch.equal(weights(max_rotation=0.0, max_scaling=0.0), plain)
    assert not torch.equal(weights(max_rotation=15), plain)
    assert not torch.equal(weights(max_scaling=0.15), plain)


def test_networks_by_name():
    """The paper's networks are trained without the views and the regularisation of the others."""
    images, labels = np.zeros((4, 28, 28), np.uint8), [0, 1, 2, 0]
    model = ConvLDNNClassifier("mnist", max_epochs=1, random_state=0).fit(images, labels)
    assert model.networks_[0].configuration == CONFIGURATIONS["mnist"]
    assert (model.preparation_.flip, model.preparation_.shift) == (False, 0)
    assert model.predict(images).shape == (4,)


def test_the_default(corners, tmp_path, capfd):
    """Blocks with batch normalisation, images that are shifted but not mirrored; saved and loaded; a progress bar."""
    images, names = corners
    model = ConvLDNNClassifier(effort=0.02, max_epochs=6, n_estimators=2, random_state=0, verbose=True)
    model.fit(images, names)
    said = capfd.readouterr().err
    assert "16, 64, 64 maps; 6 epochs in batches of 32; images are not mirrored and shifted by up to 1 pixel." in said
    assert "network 2/2, epoch 6/6" in said
    network = model.networks_[0]
    assert network.configuration == configuration_for((1, 12, 12), 3, 0.25)
    assert network.normalize == "batch" and network.trunk[0].weight.any()
    assert (model.preparation_.flip, model.preparation_.shift) == (False, 1)
    assert model.score(images, names) > 0.95
    ldnn.save(model, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(images), model.predict_proba(images))
    assert [type(layer) for layer in loaded.networks_[0].configuration.layers][:2] == [Whitening, Block]


def test_predictions_are_averaged_over_views(corners):
    images, names = corners
    model = ConvLDNNClassifier(SMALL, max_epochs=1, flip=True, shift=1, random_state=0).fit(images, names)
    averaged = model.predict_proba(images)
    np.testing.assert_allclose(model.set_params(shift=1).predict_proba(images), averaged)
    assert not np.allclose(model.set_params(test_views=False).predict_proba(images), averaged)


def test_given_values_are_not_chosen(corners):
    model = ConvLDNNClassifier(batch_size=7, learning_rate=0.3, label_smoothing=0.2, weight_decay=0.0)
    plan = model._plan(1000, (3, 32, 32), 10)
    assert (plan.batch_size, plan.learning_rate) == (7, 0.3)
    options = plan.training_options(0, **model._given("label_smoothing", "weight_decay"))
    assert (options.label_smoothing, options.weight_decay, options.nesterov) == (0.2, 0.0, True)
    small = ConvLDNNClassifier(batch_size=16)._plan(1000, (3, 32, 32), 10)
    usual = ConvLDNNClassifier()._plan(1000, (3, 32, 32), 10)
    assert small.learning_rate / 16 == pytest.approx(usual.learning_rate / usual.batch_size)


@pytest.mark.parametrize("head", ["ldnn", "fully_connected", "linear"])
def test_save_and_load(corners, tmp_path, head):
    """Everything that a fit sets comes back, whatever it is."""
    images, names = corners
    layers = (Convolution(4, 3), MaxPool(2, 2), Local(2, 3, activation="logistic"))
    model = ConvLDNNClassifier(
        Configuration(layers, 2, 2), head=head, n_estimators=2, max_epochs=1, image_size=(14, 15), crop=12,
        max_rotation=10, random_state=0, folder=tmp_path / "runs",
    ).fit(images, names)  # fmt: skip
    ldnn.save(model, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(images), model.predict_proba(images))
    assert loaded.get_params() == {**model.get_params(), "folder": None}  # a file names no folder
    assert vars(loaded).keys() == vars(model).keys()
    assert (loaded.history_, loaded._rescales) == (model.history_, True)
    for one, other in zip(
        [*loaded.networks_, loaded.preparation_], [*model.networks_, model.preparation_], strict=True
    ):
        assert repr(one) == repr(other)
        assert one.state_dict().keys() == other.state_dict().keys()
        assert vars(one).keys() == vars(other).keys()
        for name, value in vars(other).items():
            if not name.startswith("_"):
                assert vars(one)[name] == value
    assert ldnn.load(tmp_path / "model", device="cpu").device == "cpu"


def test_an_interrupted_fit_resumes(corners, tmp_path, monkeypatch):
    images, names = corners
    arguments = {"max_epochs": 2, "n_estimators": 2, "random_state": 0}
    expected = ConvLDNNClassifier(SMALL, **arguments).fit(images, names).predict_proba(images)
    from ldnn.deep import conv_classifier

    calls, whole = [], conv_classifier.train

    def stop_at_the_second(*args, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*args, **options)

    monkeypatch.setattr(conv_classifier, "train", stop_at_the_second)
    model = ConvLDNNClassifier(SMALL, **arguments, folder=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        model.fit(images, names)
    np.testing.assert_array_equal(model.fit(images, names).predict_proba(images), expected)


def test_networks_are_trained_in_the_given_precision(corners, monkeypatch):
    from ldnn.deep import conv_classifier

    given, whole = [], conv_classifier.launch
    monkeypatch.setattr(conv_classifier, "launch", lambda *arguments: given.append(arguments) or whole("cpu"))
    model = ConvLDNNClassifier(SMALL, max_epochs=1, device="cpu", precision="bf16-mixed", random_state=0)
    model.fit(*corners)
    assert given == [("cpu", "bf16-mixed")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is not allowed"),
        ({"max_epochs": 1.5}, r"max_epochs=1\.5 is not allowed"),
        ({"learning_rate": 0}, "learning_rate=0 is not allowed"),
        ({"effort": 0}, "effort=0 is not allowed"),
        ({"batch_size": "large"}, "batch_size='large' is not allowed: give a number, or 'auto'"),
        ({"flip": "yes"}, "flip='yes' is not allowed: give a number, or 'auto'"),
        ({"shift": 20}, "shift=20 does not fit"),
        ({"network": "lenet"}, "There is no network 'lenet'"),
        ({"head": "mlp", "flip": False}, "head='mlp' is not known"),
        ({"network": SMALL, "loss": "hinge"}, "loss='hinge' is not known"),
        ({"precision": "bf16"}, "precision='bf16' is not known: use 'auto' or '32-true'"),
        ({"crop": 50, "flip": False}, "crop=50 does not fit"),
        ({"folder": "x"}, "random_state=None cannot be combined with folder"),
    ],
)
def test_bad_parameters(options, message, corners):
    with pytest.raises(ValueError, match=message):
        ConvLDNNClassifier(**options).fit(*corners)


def test_bad_calls(model, corners, tmp_path):
    images, names = corners
    new = ConvLDNNClassifier(SMALL)
    for call, message in [
        (lambda: new.fit(images), "labels is missing"),
        (lambda: new.fit(images, names[:5]), "60 images and 5 labels"),
        (lambda: new.fit(images, names[:, None]), r"labels has shape \(60, 1\)"),
        (lambda: new.fit(images, ["same"] * 60), r"only one class \(same\)"),
        (lambda: new.fit(images, np.where(names == names[0], np.nan, 1.0)), "labels contains NaN"),
        (lambda: new.fit(images, np.linspace(0.1, 0.9, 60)), "continuous"),
        (
            lambda: new.fit(images, np.array(["a", None] * 30, dtype=object)),
            r"several types \(NoneType, str\)",
        ),
        (lambda: new.fit(images.transpose(0, 2, 1)[:, None].repeat(3, axis=1), names), "channels come last"),
        (lambda: new.fit(images.astype(float), names), "divide by 255"),
        (lambda: new.fit(tmp_path), "no images in the folder"),
        (lambda: new.fit(tmp_path, names), "sub-folders are the labels; give no other labels"),
        (lambda: model.predict(images[:, 1:]), r"shape \(60, 11, 12\); this model was fitted to images of 12x12"),
        (lambda: model.predict(np.zeros((2, 12, 12, 3))), "with 1 channel"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(NotFittedError):
        new.predict(images)


def test_bad_files(model, tmp_path):
    write_tensors(tmp_path / "other", {"a": np.zeros(1)}, "checkpoint", {})
    with pytest.raises(ValueError, match="other holds a 'checkpoint' of ldnn; pass a file with a LDNNClassifier or"):
        ldnn.load(tmp_path / "other")
    ldnn.save(model, tmp_path / "model")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda' is not available"):
            ldnn.load(tmp_path / "model", device="cuda")
    file = read_tensors(tmp_path / "model", ["ConvLDNNClassifier"])
    file.tensors["networks_.0.weights.head.bias"] = np.zeros(3, np.float32)
    write_tensors(tmp_path / "model", file.tensors, file.kind, file.description)
    with pytest.raises(ValueError, match=r"model is not a valid model: networks_.0 .* head.bias has shape \(3,\)"):
        ldnn.load(tmp_path / "model")


@pytest.mark.parametrize("change", ["other classes", "other images", "no networks"])
def test_files_whose_parts_do_not_fit_together(model, tmp_path, change):
    wrong = clone(model)
    wrong.__dict__.update(vars(model))
    if change == "other classes":
        wrong.classes_ = np.array(["left", "right"])
    elif change == "other images":
        wrong.networks_ = [model.networks_[0], ConvLDNN(SMALL, (1, 12, 13), 3)]
    else:
        wrong.networks_ = []
    model._check_loaded()
    with pytest.raises(ValueError):
        wrong._check_loaded()
    with pytest.raises(ValueError, match="The model cannot be saved: "):
        ldnn.save(wrong, tmp_path / "model")


def test_a_model_of_a_device_that_is_not_here(model, tmp_path, corners):
    images, _ = corners
    elsewhere = clone(model)
    elsewhere.__dict__.update(vars(model))
    elsewhere.device = "mps" if torch.cuda.is_available() else "cuda"
    ldnn.save(elsewhere, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    assert loaded.device == elsewhere.device
    np.testing.assert_array_equal(loaded.predict(images), model.predict(images))


def test_the_docstring_names_every_loss():
    (line,) = [line for line in ConvLDNNClassifier.__doc__.splitlines() if line.strip().startswith("loss : ")]
    assert all(f'"{loss}"' in line for loss in LOSSES)
